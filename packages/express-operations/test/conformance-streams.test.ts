import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import express, { type RequestHandler, type Response } from "express";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Check, conformanceChecks, ConformanceError, runConformance } from "../src/conformance/conformance.ts";
import { implement, type OpenApiDocument } from "../src/index.ts";

const TOKEN = { type: "object", required: ["token"], properties: { token: { type: "string" } } };
const file = { type: "string", format: "binary" };
const form = { type: "object", required: ["photo"], properties: { photo: file, title: { type: "string" } } };
const failure = { description: "", content: { "application/json": { schema: { type: "object" } } } };
const responds = (content: object) => ({ 200: { description: "", content }, default: failure });
const done = responds({ "application/json": {} });

/** A document with a stream of each kind, a file and uploads. */
const document = {
  openapi: "3.1.1",
  paths: {
    "/answers": { get: { operationId: "answer", responses: responds({ "text/event-stream": { schema: TOKEN } }) } },
    "/rows": { get: { operationId: "rows", responses: responds({ "application/jsonl": { schema: TOKEN } }) } },
    "/sequence": {
      get: { operationId: "sequence", responses: responds({ "application/json-seq": { schema: TOKEN } }) },
    },
    "/report": { get: { operationId: "report", responses: responds({ "application/pdf": {} }) } },
    "/bytes": {
      put: {
        operationId: "putBytes",
        requestBody: { required: true, content: { "application/octet-stream": {} } },
        responses: done,
      },
    },
    "/photos": {
      post: {
        operationId: "addPhoto",
        requestBody: {
          required: true,
          content: { "multipart/form-data": { schema: form, encoding: { photo: { contentType: "image/png" } } } },
        },
        responses: done,
      },
    },
  },
} as OpenApiDocument;

const limits = { bodyLimit: (id: string) => (id === "putBytes" ? 2_000 : 10_000) };
const checks = conformanceChecks(document, limits);
const REPORT = Buffer.from(Array.from({ length: 5_000 }, (_, at) => at % 251));

/** Items without an end. */
async function* tokens() {
  for (;;) yield { token: "a" };
}

/** Items, then none, until the client goes. */
async function* quiet({ signal }: { signal: AbortSignal }) {
  yield { token: "a" };
  await once(signal, "abort");
}

const handlers = {
  answer: (input: never) => ({ status: 200, body: quiet(input) }),
  rows: () => ({ status: 200, body: tokens() }),
  sequence: () => ({ status: 200, body: tokens() }),
  report: () => ({ status: 200, body: new Blob([REPORT]) }),
  putBytes: {
    streamsBody: true,
    limits: { bodyLimit: 2_000 },
    handler: async ({ body }: { body: never }) => ({ status: 200, body: (await text(body)).length }),
  },
  addPhoto: () => ({ status: 200, body: 1 }),
};

/** Serves the document behind a middleware that breaks it. */
async function serve(broken: RequestHandler = (_request, _response, next) => next()): Promise<string> {
  const served = implement()({ document, handlers: handlers as never, bodyLimit: 10_000 });
  const app = express().enable("strict routing").use(broken, served);
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a server built with implement passes every check, though its streams have no end", async () => {
  const report = await runConformance(document, { baseUrl: await serve() }, limits);
  expect(report).toEqual({ passed: checks.length, skipped: 0, failures: {}, unchecked: {} });
  expect(report.passed).toBeGreaterThan(40);
});

/** Responds to requests of a path with a status and a text. */
const at =
  (path: string, type: string, ...chunks: (string | Uint8Array)[]): RequestHandler =>
  (request, response, next) => {
    if (request.path !== path || request.method !== "GET" || Object.keys(request.query).length > 0) return next();
    response.set("Content-Type", type);
    for (const chunk of chunks) response.write(chunk);
    response.end();
  };
const events = (...chunks: (string | Uint8Array)[]) => at("/answers", "text/event-stream", ...chunks);
const lines = (...chunks: string[]) => at("/rows", "application/jsonl", ...chunks);

/** Serves the report with ranges, as changed. */
const report =
  (change: (response: Response, range: string | undefined) => Buffer | void): RequestHandler =>
  ({ path, method, headers, query }, response, next) => {
    if (path !== "/report" || !/GET|HEAD/.test(method) || headers.accept?.includes("unknown")) return next();
    if (Object.keys(query).length > 0) return next();
    const { range } = headers;
    const size = REPORT.length;
    let bytes: Buffer = REPORT;
    response.status(200).set({ "Content-Type": "application/pdf", "Accept-Ranges": "bytes", ETag: '"1"' });
    if (range !== undefined && (headers["if-range"] ?? '"1"') === '"1"') {
      const [, first, last] = /(\d+)-(\d*)/.exec(range)!.map(Number);
      if (first! >= size)
        response
          .status(416)
          .set({ "Content-Range": `bytes */${size}` })
          .type("json");
      else response.status(206).set("Content-Range", `bytes ${first}-${last}/${size}`);
      bytes = first! >= size ? Buffer.from("{}") : REPORT.subarray(first, last! + 1);
    }
    bytes = change(response, range) ?? bytes;
    if (!response.hasHeader("Content-Length")) response.set("Content-Length", String(bytes.length));
    if (method === "HEAD") response.end();
    else response.end(bytes);
  };

const isUpload = (request: express.Request) => request.path === "/photos" && request.method === "POST";
const DONE = (response: Response) => void response.json(1);

const VALID = /^a valid request|^a request for/;
const RANGES = /^ranges/;
const BROKEN_OFF = /^the server responds after/;

describe("a server with a fault fails the checks", () => {
  test.each<[title: string, operationId: string, fails: RegExp, says: RegExp, broken: RequestHandler]>([
    [
      "an item against its schema",
      "answer",
      VALID,
      /item 1 of 200 at .*token.* got undefined/,
      events('data: {"token":"a"}\n\ndata: {}\n\n'),
    ],
    ["data that is not JSON", "answer", VALID, /item 0 of 200/, events("data: hello\n\n")],
    [
      "JSON without the field data",
      "answer",
      VALID,
      /one that clients ignore: "\{\\"token/,
      events('{"token":"a"}\n\n'),
    ],
    ["a retry that is no number", "answer", VALID, /clients ignore: "retry: soon"/, events("retry: soon\n\n")],
    [
      "an event without an empty line",
      "answer",
      VALID,
      /an empty line after the last event/,
      events('data: {"token":"a"}\n'),
    ],
    ["text that is not UTF-8", "answer", VALID, /UTF-8/, events("data: ", Buffer.from([0xff]), "\n\n")],
    [
      "another media type",
      "answer",
      VALID,
      /as text\/event-stream, got text\/plain/,
      at("/answers", "text/plain", "data: 1\n\n"),
    ],
    [
      "a stream that breaks",
      "answer",
      VALID,
      /the connection ended/,
      (request, response, next) => {
        if (request.path !== "/answers" || request.method !== "GET") return next();
        response.type("text/event-stream").write('data: {"token":"a"}\n\n', () => response.destroy());
      },
    ],
    [
      "Content-Length beside chunks",
      "answer",
      VALID,
      /valid HTTP, got: .*Content-Length can't be present/,
      ({ path, method, socket }, _response, next) => {
        if (path !== "/answers" || method !== "GET") return next();
        const head =
          "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nContent-Length: 3";
        socket.end(`${head}\r\n\r\n0\r\n\r\n`);
      },
    ],
    [
      "a head that waits for the first event",
      "answer",
      VALID,
      /within ten seconds, got none/,
      ({ path, method }, _response, next) => (path === "/answers" && method === "GET" ? undefined : next()),
    ],
    [
      "406 for the stream that is declared",
      "answer",
      /^a request for/,
      /to be accepted, got 406/,
      ({ headers }, response, next) =>
        headers.accept === "text/event-stream" ? void response.status(406).json({}) : next(),
    ],
    ["a line that is not JSON", "rows", VALID, /JSON as item 1/, lines('{"token":"a"}\n', "oops\n")],
    ["a line against its schema", "rows", VALID, /item 0 of 200/, lines('{"token":1}')],
    ["a list in place of lines", "rows", VALID, /JSON as item 0/, lines('[\n{"token":"a"}\n]')],
    [
      "a sequence without separators",
      "sequence",
      VALID,
      /a record separator/,
      at("/sequence", "application/json-seq", '{"token":"a"}\n'),
    ],
    [
      "200 for a range",
      "report",
      RANGES,
      /expected 206 for Range: bytes=1-999, got 200/,
      report((response, range) => (range === undefined ? undefined : (response.status(200), REPORT))),
    ],
    [
      "a wrong Content-Range",
      "report",
      RANGES,
      /Content-Range to match/,
      report((response, range) => void (range && response.set("Content-Range", "bytes 0-998/5000"))),
    ],
    [
      "other bytes than the range's",
      "report",
      RANGES,
      /the bytes 1 to 999 of the whole/,
      report((response) => (response.statusCode === 206 ? REPORT.subarray(0, 999) : undefined)),
    ],
    [
      "206 beyond the end",
      "report",
      RANGES,
      /expected 416/,
      report((response) => void (response.statusCode === 416 && response.status(206))),
    ],
    [
      "a 416 with another size",
      "report",
      RANGES,
      /Content-Range to match/,
      report((response) => void (response.statusCode === 416 && response.set("Content-Range", "bytes */9"))),
    ],
    [
      "If-Range ignored",
      "report",
      RANGES,
      /expected 200 for Range: bytes=1-999 with If-Range/,
      (request, response, next) => (delete request.headers["if-range"], report(() => {})(request, response, next)),
    ],
    [
      "If-Range never met",
      "report",
      RANGES,
      /expected 206 for Range: bytes=1-999 with If-Range/,
      (request, response, next) => {
        if (request.headers["if-range"] !== undefined) request.headers["if-range"] = '"2"';
        return report(() => {})(request, response, next);
      },
    ],
    [
      "HEAD without the length",
      "report",
      RANGES,
      /Content-Length to match/,
      report((response) => void (response.req.method === "HEAD" && response.set("Content-Length", "0"))),
    ],
    [
      "files of any media type",
      "addPhoto",
      /of another media type/,
      /got 200/,
      (request, response, next) => (isUpload(request) ? DONE(response) : next()),
    ],
    [
      "a form without its file",
      "addPhoto",
      /without the field photo/,
      /expected 400, got 200/,
      (request, response, next) => (isUpload(request) ? DONE(response) : next()),
    ],
    [
      "uploads of any size",
      "putBytes",
      /^413/,
      /expected 413, got 200/,
      (request, response, next) => (request.method === "PUT" ? DONE(response) : next()),
    ],
    [
      "responses that end with a broken upload",
      "putBytes",
      BROKEN_OFF,
      /the connection ended/,
      breaking((response) => response.destroy()),
    ],
    [
      "500 after a broken upload",
      "putBytes",
      BROKEN_OFF,
      /a valid request, got 500/,
      breaking((response) => void response.status(500).json({})),
    ],
  ])("%s", { timeout: 30_000 }, async (_title, operationId, fails, says, broken) => {
    const baseUrl = await serve(broken);
    const due = checks.filter((check) => check.operationId === operationId && fails.test(check.title));
    const outcomes = await Promise.all(due.map((check) => outcomeOf(check, baseUrl)));
    expect(outcomes).not.toEqual([]);
    expect(outcomes.filter((outcome) => outcome.endsWith(": passed"))).toEqual([]);
    expect(outcomes.join("\n")).toMatch(says);
  });
});

async function outcomeOf({ operationId, title, run }: Check, baseUrl: string): Promise<string> {
  return run({ baseUrl }).then(
    () => `${operationId}: ${title}: passed`,
    (error: unknown) => (error instanceof ConformanceError ? error.message : String(error)),
  );
}

/** Fails every request after one whose body has broken off. */
function breaking(fail: (response: Response) => void): RequestHandler {
  let isBroken = false;
  return (request, response, next) => {
    if (isBroken) return fail(response);
    if (request.headers["content-length"] === "1000") isBroken = true;
    next();
  };
}

test("a server that ends with a broken upload fails the check", async () => {
  const baseUrl = await serve(breaking(({ req }) => void req.socket.destroy()));
  const check = checks.find(({ operationId, title }) => operationId === "addPhoto" && BROKEN_OFF.test(title));
  expect(await outcomeOf(check!, baseUrl)).toMatch(/connection/);
});
