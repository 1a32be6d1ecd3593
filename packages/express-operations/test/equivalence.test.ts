import express, { type ErrorRequestHandler } from "express";
import * as OpenApiValidator from "express-openapi-validator";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operationsOf } from "openapi-document";
import { implement, type OpenApiDocument } from "../src/index.ts";
import { document } from "./fixtures/zoo.ts";
import { listen } from "./listen.ts";
import { type BuiltRequest, requestsOf } from "./requests.ts";

/**
 * The number of requests. `EQUIVALENCE_RUNS=100000 vitest run test/equivalence` sends more. They differ in each run; a
 * failure prints its seed, and `EQUIVALENCE_SEED` repeats it.
 */
const RUNS = Number(process.env["EQUIVALENCE_RUNS"] ?? 1000);
const SEED = process.env["EQUIVALENCE_SEED"];

/** The messages of the README's list of stricter rules. */
const STRICTNESS =
  /must be given once|in plain decimal digits|from -9007199254740991 to 9007199254740991|can(?:not)? be kept exactly|A request body is required/;

/**
 * Lists that express-openapi-validator divides at encoded commas, and joins if they are repeated. OpenAPI counts an
 * encoded comma as a part of an item.
 */
const OTHER_LIST = /[?&]tags=(?:[^&]*%2C|.*&tags=)/;

/** Whether a parameter has a date such as 2026-02-30, which express-openapi-validator turns into one of the next month. */
function hasDateOfNextMonth(path: string): boolean {
  return Array.from(path.matchAll(/=(\d{4}-\d\d-\d\d)(?=&|$)/g), ([, date]) => date!).some((date) => {
    const turned = new Date(date);
    return !Number.isNaN(turned.getTime()) && turned.toISOString().slice(0, 10) !== date;
  });
}

let ours: Awaited<ReturnType<typeof listen>>;
let plain: Awaited<ReturnType<typeof listen>>;
beforeAll(async () => {
  const echo = (input: object) => ({ status: 200, body: input });
  const handlers = Object.fromEntries(operationsOf(document).map(({ id }) => [id, echo])) as never;
  ours = await listen(implement()({ document, handlers }));
  plain = await listen(plainValidator(structuredClone(document)));
});
afterAll(() => Promise.all([ours, plain].map((server) => server[Symbol.asyncDispose]())));

/** express-openapi-validator in its documented setup, before routes that echo their input. */
function plainValidator(apiSpec: OpenApiDocument): express.Express {
  const app = express();
  app.use(express.json({ strict: false }));
  app.use(
    OpenApiValidator.middleware({
      apiSpec: apiSpec as never,
      validateRequests: true,
      validateResponses: false,
      serDes: [{ format: "date-time" }, { format: "date" }],
    }),
  );
  for (const { method, path } of operationsOf(apiSpec)) {
    app[method as "get"](path.replaceAll(/\{([^}]+)\}/g, ":$1"), (request, response) => {
      response.json({ query: request.query, body: request.body as unknown });
    });
  }
  app.use(((error: { status?: number; message: string }, _request, response, _next) => {
    response.status(error.status ?? 500).json({ message: error.message });
  }) as ErrorRequestHandler);
  return app;
}

async function send({ baseUrl }: { baseUrl: string }, { method, path, headers, body }: BuiltRequest) {
  const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => /^[\x20-\x7e]*$/.test(value)));
  const response = await fetch(baseUrl + path, {
    method,
    headers: sent,
    signal: AbortSignal.timeout(5000),
    ...(body !== undefined && { body }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test(`${RUNS} valid and invalid requests get the results of express-openapi-validator except for the stricter rules, and never a 5xx`, async () => {
  const tally = { accepted: 0, refused: 0, strict: 0 };
  await fc.assert(
    fc.asyncProperty(requestsOf(document), async (request) => {
      const asked = [send(ours, request), send(plain, request)] as const;
      const [mine, theirs] = await Promise.all(asked);
      expect(mine.status).toBeLessThan(500);
      const isReserved = String(theirs.body["message"]).includes("must be url encoded"); // OpenAPI has no such rule
      if (isReserved || OTHER_LIST.test(request.path)) return;
      const message = String(mine.body["message"]);
      const isDate = message.includes("must be a date, such as") && hasDateOfNextMonth(request.path);
      if (mine.status === 400 && (isDate || STRICTNESS.test(message))) {
        tally.strict++;
        return;
      }
      const status = theirs.status === 500 ? 400 : theirs.status; // EOV fails on a null body when it reads the discriminator
      expect({ status: mine.status, because: mine.body["message"] }).toEqual({
        status,
        because: mine.body["message"],
      });
      if (mine.status !== 200) {
        tally.refused++;
        return;
      }
      tally.accepted++;
      expect({ query: mine.body["query"], body: mine.body["body"] }).toEqual(theirs.body);
    }),
    { numRuns: RUNS, ...(SEED !== undefined && { seed: Number(SEED) }) },
  );
  console.log(tally);
  expect(Math.min(tally.accepted, tally.refused, tally.strict)).toBeGreaterThan(RUNS / 50);
}, 600_000);
