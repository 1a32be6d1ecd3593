import express, { type RequestHandler } from "express";
import { describe, expect, test } from "vitest";
import { conformanceChecks, runConformance } from "../src/conformance.ts";
import { type Handlers, implement, type OpenApiDocument } from "../src/index.ts";
import { document, type operations } from "./fixtures/kennel.ts";
import { listen } from "./listen.ts";

const handlers: Handlers<operations> = {
  findDogs: ({ query }) => ({
    status: 200,
    body: Array.from({ length: query.limit }, () => ({ name: "Rex", legs: 4 })),
  }),
  addDog: ({ body }) => ({ status: 201, body }),
};

const target = { credentials: () => ({ Authorization: "Bearer good" }) };
const limits = { bodyLimit: 65_536 };

const implementation = () =>
  implement<operations>()({
    document,
    handlers,
    security: { bearer: (token) => (token === "good" ? { caller: undefined } : undefined) },
  });

/** Runs the checks against the implementation behind what breaks it. */
async function reportOn(broken: RequestHandler, checked: OpenApiDocument = document) {
  const app = express().enable("strict routing");
  app.use(broken, implementation());
  await using server = await listen(app);
  return await runConformance(checked, { ...target, baseUrl: server.baseUrl }, limits);
}

test("a server built with implement passes every check", async () => {
  const report = await reportOn((_request, _response, next) => next());
  expect(report.failures).toEqual({});
  expect(report.passed).toBe(conformanceChecks(document, limits).length);
  expect(report.passed).toBeGreaterThan(40);
});

/** Changes what the server answers, as a proxy would. */
function rewriting(
  when: (status: number, method: string) => boolean,
  change: (response: express.Response) => string | void,
): RequestHandler {
  return (request, response, next) => {
    const writeHead = response.writeHead.bind(response);
    response.writeHead = ((status: number, headers: Record<string, string>) => {
      if (!when(status, request.method)) return writeHead(status, headers);
      response.writeHead = writeHead;
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      response.statusCode = status;
      const body = change(response);
      if (body === undefined) return response;
      response.setHeader("Content-Length", Buffer.byteLength(body));
      const end = response.end.bind(response);
      response.end = (() => end(body)) as typeof response.end;
      return response;
    }) as typeof response.writeHead;
    next();
  };
}

const as = (status: number, body?: string) => (response: express.Response) => {
  response.statusCode = status;
  return body;
};

describe("a server that breaks the document is caught", () => {
  const answering =
    (when: (request: express.Request) => boolean, status: number): RequestHandler =>
    (request, response, next) => {
      if (when(request)) response.status(status).json({ code: "x" });
      else next();
    };
  const authenticating: RequestHandler = (request, _response, next) => {
    request.headers.authorization = "Bearer good";
    request.headersDistinct["authorization"] = ["Bearer good"];
    next();
  };

  test.each<[string, RequestHandler, RegExp]>([
    [
      "404 in HTML",
      rewriting(
        (status) => status === 404,
        (response) => (response.setHeader("Content-Type", "text/html"), "<h1>Not found</h1>"),
      ),
      /expected a failure as JSON, got 404 as text\/html/,
    ],
    [
      "405 without Allow",
      rewriting(
        (status) => status === 405,
        (response) => response.removeHeader("Allow"),
      ),
      /405 for \w+: expected the header Allow/,
    ],
    ["500 on invalid input", rewriting((status) => status === 400, as(500)), /400 for .*: expected 400, got 500/],
    [
      "HEAD without authentication",
      (request, response, next) => (request.method === "HEAD" ? authenticating(request, response, next) : next()),
      /401 without credentials for HEAD: expected 401, got 200/,
    ],
    [
      "401 without a challenge",
      rewriting(
        (status) => status === 401,
        (response) => response.removeHeader("WWW-Authenticate"),
      ),
      /expected the header WWW-Authenticate/,
    ],
    ["no authentication at all", authenticating, /401 without credentials: expected 401, got 200/],
    [
      "the body looked at before the credentials",
      answering((request) => request.headers["content-type"] === "application/x-unknown", 415),
      /401 before the body is looked at: expected 401, got 415/,
    ],
    [
      "OPTIONS not answered",
      answering((request) => request.method === "OPTIONS", 404),
      /OPTIONS says what is allowed: expected 200 or 204, got 404/,
    ],
    [
      "HEAD not answered",
      answering((request) => request.method === "HEAD", 405),
      /HEAD wherever GET: expected no refusal, got 405/,
    ],
    [
      "unknown query parameters let through",
      (request, _response, next) => {
        request.url = request.url.replace(/[?&]no-such-parameter=1/, "");
        next();
      },
      /400 for unknown query parameter: expected 400, got 20\d/,
    ],
    [
      "Accept not looked at",
      (request, _response, next) => {
        delete request.headers.accept;
        next();
      },
      /406 .*: expected 406, got 20\d/,
    ],
    [
      "any media type taken for JSON",
      (request, _response, next) => {
        if (request.headers["content-type"] !== undefined) request.headers["content-type"] = "application/json";
        next();
      },
      /415 for a media type that is not declared: expected 415, got 201/,
    ],
    [
      "a trailing slash let through",
      (request, _response, next) => {
        request.url = request.url.replace(/\/$/, "");
        next();
      },
      /404 for a trailing slash: expected 404, got 200/,
    ],
    [
      "an answer without a required field",
      rewriting(
        (status) => status === 200,
        () => '[{"legs":4}]',
      ),
      /a valid request is not refused: the body of 200 at \/body\/0\/name .* got undefined/,
    ],
    [
      "no word of a deprecation",
      rewriting(
        () => true,
        (response) => response.removeHeader("Sunset"),
      ),
      /its deprecation is announced: expected the header Sunset/,
    ],
    [
      "a body of any size",
      answering((request) => Number(request.headers["content-length"]) > 65_536, 400),
      /413 for a body over the limit: expected 413, got 400/,
    ],
  ])("%s", async (_title, broken, message) => {
    const { failures } = await reportOn(broken);
    expect(Object.values(failures).flat().join("\n")).toMatch(message);
  });
});

test("a server that is away, and an example that is missing, are no findings", async () => {
  await expect(runConformance(document, { ...target, baseUrl: "http://127.0.0.1:1" })).rejects.toThrow("fetch failed");
  const bare = structuredClone(document) as unknown as {
    components: { schemas: { Dog: { properties: Record<string, object> } } };
  };
  bare.components.schemas.Dog.properties["name"] = { type: "string", pattern: "^[A-Z]" };
  await expect(reportOn((_request, _response, next) => next(), bare as unknown as OpenApiDocument)).rejects.toThrow(
    'The document gives no example for the body of "addDog": add one.',
  );
});
