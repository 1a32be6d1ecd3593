import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type RequestHandler } from "express";
import { type Cost, type CostReport, type CostTarget, searchCosts } from "../src/conformance/conformance.ts";
import { operationsOf } from "openapi-document";
import { implement, type OpenApiDocument } from "../src/index.ts";

/** Factor on the promised 20 ms, because other work shares the machine. Set `COST_PATIENCE=1` on a quiet one. */
const PATIENCE = Number(process.env["COST_PATIENCE"] ?? 3);

/** The streams of an upload. */
interface Streams {
  body?: AsyncIterable<unknown>;
  parts?: AsyncIterable<{ stream?: AsyncIterable<unknown> }>;
}

/**
 * Serves a document with handlers of negligible cost. Every credential is valid. With `isStreamed`, the handlers read the
 * bodies themselves.
 */
export function serve(document: OpenApiDocument, { isStreamed = false } = {}): RequestHandler {
  const statusOf = (responses: object = {}) =>
    Number(Object.keys(responses).find((key) => /^[23]\d\d$/.test(key)) ?? 200);
  const handlers = Object.fromEntries(
    operationsOf(document).map(({ id, operation: { responses, requestBody } }) => {
      const result = { status: statusOf(responses) };
      const read = async ({ body = none(), parts = none() }: Streams) => {
        for await (const _chunk of body);
        for await (const { stream = none() } of parts) for await (const _chunk of stream);
        return result;
      };
      const limits = { fieldLimit: Infinity, maxParts: Infinity };
      const streamed = isStreamed && requestBody !== undefined;
      return [id, streamed ? { handler: read, streamsBody: true, limits } : () => result];
    }),
  );
  const { securitySchemes = {} } = (document.components ?? {}) as { securitySchemes?: object };
  const security = Object.fromEntries(Object.keys(securitySchemes).map((name) => [name, () => ({ caller: name })]));
  return implement<Record<string, never>>()({ document, handlers: handlers as never, security, bodyLimit: 2 ** 20 });
}

async function* none(): AsyncGenerator<never> {}

/** Searches the costs of requests to a handler, behind a server that accepts more than eight times Node's default limits. */
export async function costsOf(
  document: OpenApiDocument,
  handler: RequestHandler,
  more: Partial<CostTarget> = {},
): Promise<CostReport> {
  const server = createServer({ maxHeaderSize: 2 ** 20 }, express().use(handler)).listen(0, "127.0.0.1");
  server.maxHeadersCount = 0; // no limit
  try {
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    return await searchCosts(document, {
      baseUrl: `http://127.0.0.1:${port}`,
      credentials: () => ({ headers: { Authorization: "Bearer x" } }),
      limits: { head: 16_384, body: 65_536 },
      acceptsEightfold: true,
      maxMilliseconds: 20 * PATIENCE,
      ...more,
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Prints the excluded schemas and the most expensive inputs. */
export function print({ excluded, costs }: CostReport): void {
  const line = ({ operationId, input, milliseconds, growth, status }: Cost) =>
    `${milliseconds.toFixed(2)} ms, ${growth.toFixed(1)} times for 8 times the size, ${status}: ${operationId}, ${input}`;
  for (const { operationId, of, at, reason } of excluded)
    console.log(`excluded: ${operationId}, ${of}${at}: ${reason}`);
  console.log([`${costs.length} inputs, the most expensive:`, ...costs.slice(0, 5).map(line)].join("\n"));
}
