import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type RequestHandler } from "express";
import { type Cost, searchCosts, type CostReport } from "../src/conformance.ts";
import { operationsOf } from "../src/document.ts";
import { implement, type OpenApiDocument } from "../src/index.ts";

/** Serves a document with handlers that cost nothing, and admits every credential. */
export function serve(document: OpenApiDocument): RequestHandler {
  const succeed = (responses: object = {}) => Number(Object.keys(responses).find((key) => /^2\d\d$/.test(key)) ?? 200);
  const handlers = Object.fromEntries(
    operationsOf(document).map(({ id, operation }) => [id, () => ({ status: succeed(operation.responses) })]),
  );
  const { securitySchemes = {} } = (document.components ?? {}) as { securitySchemes?: object };
  const security = Object.fromEntries(Object.keys(securitySchemes).map((name) => [name, () => ({ caller: name })]));
  return implement<Record<string, never>>()({ document, handlers: handlers as never, security, bodyLimit: 2 ** 20 });
}

/** What is said to be too much on a machine that does other work as well is this many times what is promised. */
const PATIENCE = process.env["CI"] === undefined ? 1 : 3;

/** Searches the costs of requests to a handler, behind a server that reads many times as much as Node's by default. */
export async function costsOf(
  document: OpenApiDocument,
  handler: RequestHandler,
  measures: (operationId: string, input: string) => boolean = () => true,
): Promise<CostReport> {
  const app = express().use(handler);
  const server = createServer({ maxHeaderSize: 2 ** 20 }, app).listen(0, "127.0.0.1");
  server.maxHeadersCount = 0; // no limit
  try {
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    return await searchCosts(document, {
      baseUrl: `http://127.0.0.1:${port}`,
      credentials: () => ({ headers: { Authorization: "Bearer x" } }),
      limits: { head: 16_384, body: 65_536 },
      readsMore: true,
      most: 20 * PATIENCE,
      measures,
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Prints what was left out and the inputs that cost most, and gives the faults. */
export function faultsIn({ excluded, costs, faults }: CostReport): string[] {
  const line = ({ operationId, input, milliseconds, growth, status }: Cost) =>
    `${milliseconds.toFixed(2)} ms, ${growth.toFixed(1)} times for 8 times the size, ${status}: ${operationId}, ${input}`;
  for (const { operationId, of, at, reason } of excluded)
    console.log(`left out: ${operationId}, ${of}${at}: ${reason}`);
  console.log([`${costs.length} inputs, the dearest:`, ...costs.slice(0, 5).map(line)].join("\n"));
  return faults;
}
