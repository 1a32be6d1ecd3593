import type express from "express";
import type { RequestHandler } from "express";
import type { OpenApiDocument } from "../src/index.ts";
import { document } from "./fixtures/kennel.ts";

/** Changes the server's responses, as a proxy would. */
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

const header = (name: string, value?: string) => (response: express.Response) => {
  if (value === undefined) response.removeHeader(name);
  else response.setHeader(name, value);
};

/** Responds with a JSON error, or with any status, in place of the server. */
const answering =
  (status: number, when: (request: express.Request) => boolean): RequestHandler =>
  (request, response, next) => {
    if (when(request)) response.status(status).json({ code: "x" });
    else next();
  };

/** Changes requests before they reach the server. */
const letting =
  (change: (request: express.Request) => void): RequestHandler =>
  (request, _response, next) => {
    change(request);
    next();
  };

const authenticate = (request: express.Request) => {
  request.headers.authorization = "Bearer good";
  request.headersDistinct["authorization"] = ["Bearer good"];
};

/** Returns the document without one keyword, or without one value of it, for a server that does not enforce it. */
function blindTo(keyword: string, only?: unknown): OpenApiDocument {
  const strip = (_key: string, value: unknown): unknown => {
    if (typeof value !== "object" || value === null || Array.isArray(value) || !(keyword in value)) return value;
    const { [keyword]: said, ...rest } = value as Record<string, unknown>;
    return only === undefined || only === said ? rest : value;
  };
  const { paths, components } = document;
  const copy = <Value>(value: Value) => JSON.parse(JSON.stringify(value, strip)) as Value;
  return { ...document, paths: copy(paths), components: { ...components, schemas: copy(components.schemas) } };
}

const success = (status: number) => status < 300;

/** A server, the titles of the checks that must fail for it, and the expected message of one of them. */
export type BrokenServer = [title: string, fails: RegExp, says: RegExp, broken: RequestHandler | OpenApiDocument];

/** Servers that fail checks of many kinds. */
export const utterlyBroken: BrokenServer[] = [
  [
    "401 without a challenge",
    /^401/,
    /expected the header WWW-Authenticate, which is missing/,
    rewriting((status) => status === 401, header("WWW-Authenticate")),
  ],
  [
    "failures in HTML",
    /^40(?!1 .*HEAD)|^41/,
    /expected a failure as JSON|expected \d+ as application\/json/,
    rewriting(
      (status, method) => status >= 400 && method !== "HEAD",
      (response) => (response.setHeader("Content-Type", "text/html"), "<h1>No</h1>"),
    ),
  ],
  ["500 on invalid input", /^400/, /expected 400, got 500/, rewriting((status) => status === 400, as(500))],
];

/** Servers that break the document in one way each. */
export const brokenServers: BrokenServer[] = [
  [
    "a success in HTML",
    /^a valid request/,
    /expected 20[01] as application\/json, got text\/html/,
    rewriting(success, (response) => (response.setHeader("Content-Type", "text/html"), "<h1>Dogs</h1>")),
  ],
  ["an undeclared 202", /^a valid request/, /expected a declared status, got 202/, rewriting(success, as(202))],
  ["an undeclared 204", /^a valid request/, /expected a declared status, got 204/, rewriting(success, as(204, ""))],
  [
    "a redirection to a login page",
    /^a valid request/,
    /expected a declared status, got 302/,
    rewriting(success, (response) => (header("Location", "/login")(response), as(302)(response))),
  ],
  [
    "no required header",
    /^a valid request/,
    /the header Location, which is missing|the header X-Total, which is missing/,
    rewriting(success, (response) => (header("Location")(response), header("X-Total")(response))),
  ],
  [
    "a response without a required field",
    /^a valid request/,
    /the body of 20[01] at \/body.*\/name .* got undefined/,
    rewriting(success, ({ statusCode }) => (statusCode === 200 ? '[{"legs":4}]' : '{"legs":4}')),
  ],
  [
    "500 for valid requests",
    /^a valid request/,
    /expected the request to be accepted, got 500/,
    rewriting(success, as(500)),
  ],
  [
    "an invalid Deprecation header",
    /^its Deprecation/,
    /expected the header Deprecation to match/,
    rewriting(() => true, header("Deprecation", "@1767225600; at=1")),
  ],
  [
    "400 for valid requests",
    /^a valid request/,
    /expected the request to be accepted, got 400/,
    rewriting(success, as(400)),
  ],
  [
    "no authentication at all",
    /^401 (?:without|with|before)/,
    /expected 401, got (?:20\d|4\d\d)/,
    letting(authenticate),
  ],
  [
    "HEAD without authentication",
    /^401 .* HEAD/,
    /expected 401, got 200/,
    letting((request) => (request.method === "HEAD" ? authenticate(request) : undefined)),
  ],
  [
    "a challenge for another scheme",
    /^401/,
    /expected the header WWW-Authenticate to match/,
    rewriting((status) => status === 401, header("WWW-Authenticate", "Basic")),
  ],
  [
    "a challenge without the error invalid_token",
    /^401 with credentials that are not valid/,
    /WWW-Authenticate to match .*invalid_token/,
    rewriting((status) => status === 401, header("WWW-Authenticate", 'Bearer realm="api"')),
  ],
  [
    "the query validated before the credentials",
    /^401 before the query/,
    /expected 401, got 400/,
    answering(400, ({ url }) => url.includes("no-such-parameter")),
  ],
  [
    "the body validated before the credentials",
    /^401 before the body/,
    /expected 401, got 415/,
    answering(415, ({ headers }) => headers["content-type"] === "application/x-unknown"),
  ],
  [
    "scopes ignored",
    /^403/,
    /expected 403, got 201/,
    letting((request) => (request.headers.authorization === "Bearer lesser" ? authenticate(request) : undefined)),
  ],
  [
    "403 without the error insufficient_scope",
    /^403/,
    /WWW-Authenticate to match .*insufficient_scope/,
    rewriting((status) => status === 403, header("WWW-Authenticate", "Bearer")),
  ],
  [
    "a match of paths below a declared path",
    /^404 for a path/,
    /expected 404, got 20\d/,
    letting((request) => (request.url = request.url.replace("/no/such/path", ""))),
  ],
  [
    "a trailing slash accepted",
    /^404 for a trailing slash/,
    /expected 404, got 20\d/,
    letting((request) => (request.url = request.url.replace(/\/(?=$|\?)/, ""))),
  ],
  ["404 for OPTIONS", /^OPTIONS/, /expected 200 or 204, got 404/, answering(404, ({ method }) => method === "OPTIONS")],
  [
    "no Allow header",
    /^OPTIONS|^405/,
    /expected the header Allow, which is missing/,
    rewriting((status) => status === 405 || status === 204, header("Allow")),
  ],
  [
    "an incomplete Allow header",
    /^OPTIONS|^405/,
    /expected Allow to be GET, HEAD, OPTIONS, POST, got GET, OPTIONS/,
    rewriting((status) => status === 405 || status === 204, header("Allow", "GET, OPTIONS")),
  ],
  ["404 for a wrong method", /^405/, /expected 405, got 404/, rewriting((status) => status === 405, as(404))],
  [
    "405 for HEAD",
    /^HEAD/,
    /expected the request to be accepted, got 405/,
    answering(405, ({ method }) => method === "HEAD"),
  ],
  [
    "HEAD without the headers of GET",
    /^HEAD/,
    /expected the header Content-Type/,
    rewriting((_status, method) => method === "HEAD", header("Content-Type")),
  ],
  ["Accept ignored", /^406/, /expected 406, got 20\d/, letting(({ headers }) => delete headers.accept)],
  [
    "any media type read as JSON",
    /^415 for a media type/,
    /expected 415, got 201/,
    letting(({ headers }) => (headers["content-type"] &&= "application/json")),
  ],
  [
    "a compressed body read without decompression",
    /^415 for a compressed body/,
    /expected 415, got 201/,
    letting(({ headers }) => delete headers["content-encoding"]),
  ],
  [
    "a body of any size",
    /^413/,
    /expected 413, got 400/,
    answering(400, ({ headers }) => Number(headers["content-length"]) > 65_536),
  ],
  ...["Deprecation", "Sunset", "Link"].map((name): BrokenServer => [
    `no ${name}`,
    new RegExp(`^its ${name} header`),
    new RegExp(`expected the header ${name}, which is missing`),
    rewriting(() => true, header(name)),
  ]),
  [
    "a Sunset that differs from the document",
    /^its Sunset/,
    /expected the header Sunset to say 2027-01-01, got Sat/,
    rewriting(() => true, header("Sunset", "Sat, 02 Jan 2027 00:00:00 GMT")),
  ],
  [
    "unknown query parameters accepted",
    /^400 for unknown query parameter/,
    /expected 400, got 20\d/,
    letting((request) => (request.url = request.url.replace(/[?&]no-such-parameter=1/, ""))),
  ],
  [
    "the first value of a repeated parameter used",
    /^400 for .* given twice/,
    /expected 400, got 200/,
    letting((request) => (request.url = request.url.replace(/(([?&])(\w+)=[^&]*)&\3=[^&]*/, "$1"))),
  ],
  [
    "text that is not JSON accepted",
    /^400 for body that is not JSON/,
    /expected 400, got 201/,
    answering(201, ({ headers }) => headers["content-length"] === "9"),
  ],
  ["required ignored", /^400 for .*(?:missing|without)/, /expected 400, got/, blindTo("required")],
  ["required bodies optional", /^400 for body missing/, /expected 400, got/, blindTo("required")],
  ["unknown fields accepted", /unknown field/, /expected 400, got 201/, blindTo("additionalProperties")],
  ["types ignored", /of the wrong type/, /expected 400, got/, blindTo("type")],
  ["enums ignored", /not in the enum/, /expected 400, got 200/, blindTo("enum")],
  ["minimum ignored", /below its minimum/, /expected 400, got/, blindTo("minimum")],
  ["maximum ignored", /above its maximum/, /expected 400, got 20\d/, blindTo("maximum")],
  ["exclusiveMinimum ignored", /at its exclusive minimum/, /got 201/, blindTo("exclusiveMinimum")],
  ["exclusiveMaximum ignored", /at its exclusive maximum/, /got 201/, blindTo("exclusiveMaximum")],
  ["minLength ignored", /shorter than allowed/, /expected 400, got 201/, blindTo("minLength")],
  ["maxLength ignored", /longer than allowed/, /expected 400, got 20\d/, blindTo("maxLength")],
  ["minItems ignored", /fewer items/, /expected 400, got 201/, blindTo("minItems")],
  ["maxItems ignored", /more items/, /expected 400, got 201/, blindTo("maxItems")],
  ["pattern ignored", /not matching its pattern/, /expected 400, got 201/, blindTo("pattern")],
  ["integers not distinguished from numbers", /with a fraction/, /expected 400, got/, blindTo("type", "integer")],
];
