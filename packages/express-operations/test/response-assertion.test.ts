import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { conformanceChecks, runConformance } from "../src/conformance/conformance.ts";
import { exampleRequest } from "../src/conformance/example-request.ts";
import { responseAssertion } from "../src/conformance/response-assertion.ts";
import { type OpenApiDocument, operationsOf, isJson } from "openapi-document";
import { declaredAs, parseMediaType } from "../src/media-type.ts";
import { listen } from "./listen.ts";

const json = (schema: object) => ({ description: "", content: { "application/json": { schema } } });
const documentOf = (operation: object, more: object = {}) =>
  ({ openapi: "3.1.0", paths: { "/a": { get: { operationId: "x", ...operation } } }, ...more }) as OpenApiDocument;

/** The status, media type and text of a response. */
type Sent = [status: number, type?: string | undefined, text?: string];

/** Returns the violation of a response, if any. */
async function faultOf(
  responses: object,
  [status, type, text = ""]: Sent,
  { method = "GET", template = "/a", isValid = true, headers = {} } = {},
) {
  const document = documentOf({ responses });
  const [entry] = operationsOf(document);
  const request = { ...exampleRequest(document, entry!), method, template };
  const received = {
    status,
    text,
    headers: new Headers({ ...headers, ...(type !== undefined && { "Content-Type": type }) }),
  };
  const asserted = responseAssertion(document, entry!)(request, received, isValid);
  return await asserted.then(
    () => undefined,
    ({ message }: Error) => message,
  );
}

describe("a response is validated against the document", () => {
  const integer = json({ type: "integer" });
  const none = { description: "" };

  test.each<[responses: object, sent: Sent, fault: string | undefined, more?: object]>([
    [{ 200: integer }, [200, "application/json", "1"], undefined],
    [{ 200: integer }, [200, "application/json; charset=utf-8", "1"], undefined],
    [{ 200: integer }, [200, "application/json", '"1"'], "the body of 200 at /body must be integer, got string"],
    [
      { 200: json({ anyOf: [{ type: "integer" }, { type: "null" }] }) },
      [200, "application/json", '"x"'],
      "the body of 200 at /body must be integer, got string",
    ],
    [{ 200: integer }, [200, "application/json", "{"], "expected a body of JSON, got text that is not JSON"],
    [{ 200: integer }, [200, "text/html", "1"], "expected 200 as application/json, got text/html"],
    [{ 200: integer }, [200, undefined, "1"], "expected 200 as application/json, got nothing"],
    [{ 200: integer }, [201, "application/json", "1"], "expected a declared status, got 201"],
    [{ "2XX": integer }, [201, "application/json", "1"], undefined],
    [{ default: integer }, [201, "application/json", "1"], undefined],
    [{ 200: integer, default: integer }, [201, "application/json", "1"], "expected a declared status, got 201"],
    [{ "3XX": none, default: integer }, [201, "application/json", "1"], "expected a declared status, got 201"],
    [{ 422: none, default: integer }, [201, "application/json", "1"], undefined],
    [{ 200: integer, default: integer }, [404, "application/json", "1"], undefined],
    [
      { 200: integer, default: integer },
      [404, "application/json", "{}"],
      "the body of 404 at /body must be integer, got object",
    ],
    [{ 200: none }, [200], undefined],
    [{ 200: none }, [200, "text/html", "x"], "expected 200 without a body, got text/html"],
    [{ 200: none }, [200, undefined, "x"], "expected 200 without a body, got one"],
    [{ 404: none }, [404, "application/json", "{}"], undefined],
    [{ 404: none }, [404, "application/problem+json", "{}"], undefined],
    [{ 400: none }, [400, "application/json", "{}"], undefined],
    [{ 404: none }, [404, "text/html", "x"], "expected a failure as JSON, got 404 as text/html"],
    [{ 404: none }, [404, "application/json", "x"], "expected a body of JSON, got text that is not JSON"],
    [{ 204: integer }, [204], undefined],
    [{ 304: integer }, [304], undefined],
    [{ 200: integer }, [200], undefined, { method: "HEAD" }],
    [{ 200: integer }, [200, "application/json"], undefined, { method: "HEAD" }],
    [{ 200: integer }, [200, "text/html"], "expected 200 as application/json, got text/html", { method: "HEAD" }],
    [{ 200: integer }, [400, "application/json", "{}"], undefined, { isValid: false }],
    [{ 200: integer }, [400, undefined, "x"], "expected a failure as JSON, got 400 as nothing", { isValid: false }],
    [{ 200: integer }, [400], undefined, { isValid: false, method: "HEAD" }],
    [{ 200: integer, 404: integer }, [404, "application/json", "{}"], undefined, { isValid: false, template: "/b" }],
    [{ 200: integer, 405: integer }, [405, "application/json", "{}"], undefined, { isValid: false, method: "PUT" }],
    [
      { 200: { ...integer, headers: { ETag: { required: true } } } },
      [200, "application/json", "1"],
      "expected the header ETag, which is missing",
    ],
    [
      { 200: { ...integer, headers: { ETag: { required: true } } } },
      [200, "application/json", "1"],
      undefined,
      { headers: { ETag: "1" } },
    ],
    [{ 200: { ...integer, headers: { ETag: {} } } }, [200, "application/json", "1"], undefined],
    [{ 204: { headers: { "Content-Type": { required: true } } } }, [204], undefined],
    [{ 200: { content: { "text/*": {}, "image/png": {} } } }, [200, "text/csv", "1"], undefined],
    [{ 200: { content: { "text/plain": { schema: { type: "integer" } } } } }, [200, "text/plain", "one"], undefined],
    [
      { 200: { content: { "text/*": {}, "image/png": {} } } },
      [200, "image/gif", "1"],
      "expected 200 as text/* or image/png, got image/gif",
    ],
  ])("with the responses %j, %j gets %j", async (responses, sent, fault, more = {}) => {
    expect(await faultOf(responses, sent, more)).toBe(fault);
  });
});

test("failures are listed in the order of their checks", async () => {
  const document = documentOf({ responses: { 200: json({}) } });
  const server = createServer((_request, response) => void response.writeHead(500).end()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  try {
    const { failures } = await runConformance(document, { baseUrl: `http://127.0.0.1:${port}` });
    const titles = conformanceChecks(document).map(({ title }) => title);
    expect(failures["x"]!.map((failure) => failure.split(": ")[1])).toEqual(titles);
    expect(titles.length).toBeGreaterThan(5);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

describe("the conformance checks", () => {
  const titlesOf = (operation: object, more: object = {}) =>
    conformanceChecks(documentOf({ responses: { 200: json({}) }, ...operation }, more), { bodyLimit: 9 }).map(
      ({ title }) => title,
    );
  const always = [
    "a valid request is accepted",
    "404 for a path that is not declared",
    "404 for a trailing slash",
    "OPTIONS says what is allowed",
    "405 for DELETE",
    "HEAD wherever GET",
    "406 for an Accept without a declared media type",
    "400 for unknown query parameter",
  ];
  const anonymous = ["401 without credentials", "401 before the query is looked at"];
  const invalid = "401 with credentials that are not valid";
  const head = "401 without credentials for HEAD";
  const secured = (scheme: object, scopes: string[] = []) =>
    titlesOf({ security: [{ s: scopes }] }, { components: { securitySchemes: { s: scheme } } });
  const ofSecurity = (titles: string[]) => titles.filter((title) => /^40[13]/.test(title));

  test("of a plain GET", () => expect(titlesOf({})).toEqual(always));

  test("exclude TRACE, because `fetch` cannot send it", () => {
    const trace = { operationId: "y", responses: { 200: json({}) } };
    const document = documentOf({ responses: { 200: json({}) } });
    Object.assign((document.paths as Record<string, object>)["/a"]!, { trace });
    expect(new Set(conformanceChecks(document).map(({ operationId }) => operationId))).toEqual(new Set(["x"]));
  });

  test("include 406 only if a success has a specific media type", () => {
    expect(titlesOf({ responses: { 200: { content: { "*/*": {} } } } })).not.toContain(always[6]);
    expect(titlesOf({ responses: { 204: {}, 404: json({}) } })).not.toContain(always[6]);
  });

  test("exclude a trailing slash and OPTIONS that the document declares", () => {
    const operation = (operationId: string) => ({ operationId, responses: { 200: json({}) } });
    const item = { get: operation("a"), options: operation("b") };
    const paths = { "/{id}": item, "/{id}/": { get: operation("c") } };
    const titles = conformanceChecks({ openapi: "3.1.0", paths }).flatMap((check) => {
      return /slash|OPTIONS/.test(check.title) ? `${check.operationId}: ${check.title}` : [];
    });
    expect(titles).toEqual(["c: 404 for a trailing slash", "c: OPTIONS says what is allowed"]);
  });

  test("send no body with undeclared methods", async () => {
    const seen: string[] = [];
    await using server = await listen(({ method, headers }, response) => {
      seen.push(`${method} ${headers["content-length"] ?? "none"}`);
      response.status(405).set("Allow", "POST, OPTIONS").json({});
    });
    const requestBody = { content: { "application/json": { example: 1 } } };
    const post = { operationId: "x", requestBody, responses: { 200: json({}) } };
    for (const { title, run } of conformanceChecks({ openapi: "3.1.0", paths: { "/a": { post } } }))
      if (title === "405 for DELETE") await run(server);
    expect(seen).toEqual(["DELETE none"]);
  });

  test("of a deprecated operation, for its declared headers only", () => {
    const announced = (more: object) =>
      titlesOf({ deprecated: true, ...more }).filter((title) => !always.includes(title));
    const check = (name: string) => `its ${name} header announces the deprecation`;
    expect(announced({})).toEqual([]);
    expect(announced({ "x-deprecated-at": "2026-01-01" })).toEqual([check("Deprecation")]);
    expect(announced({ "x-sunset": "2027-01-01" })).toEqual([check("Sunset")]);
    expect(announced({ "x-successor": "y" })).toEqual([check("Link")]);
    expect(titlesOf({ deprecated: false, "x-sunset": "2027-01-01" })).toEqual(always);
  });

  test("exclude 415 for a media type if the body may have any", () => {
    const post = { operationId: "x", requestBody: { content: { "*/*": {} } }, responses: { 204: {} } };
    const titles = conformanceChecks({ openapi: "3.1.0", paths: { "/a": { post } } }).map(({ title }) => title);
    expect(titles.filter((title) => title.startsWith("415"))).toEqual(["415 for a compressed body"]);
  });

  test("of a body have this order", () => {
    const requestBody = { required: true, content: { "application/json": {} } };
    const post = { operationId: "x", requestBody, security: [{ s: [] }], responses: { 200: json({}) } };
    const document = {
      ...documentOf({}, { components: { securitySchemes: { s: { type: "oauth2" } } } }),
      paths: { "/a": { post } },
    } as OpenApiDocument;
    expect(conformanceChecks(document, { bodyLimit: 9 }).map(({ title }) => title)).toEqual([
      "a valid request is accepted",
      ...anonymous,
      invalid,
      "401 before the body is looked at",
      "404 for a path that is not declared",
      "404 for a trailing slash",
      "OPTIONS says what is allowed",
      "405 for DELETE",
      "406 for an Accept without a declared media type",
      "415 for a media type that is not declared",
      "415 for a compressed body",
      "413 for a body over the limit",
      "400 for unknown query parameter",
      "400 for body missing",
      "400 for body that is not JSON",
    ]);
    expect(conformanceChecks(document).map(({ title }) => title)).not.toContain("413 for a body over the limit");
  });

  test.each<[scheme: object, hasInvalid: boolean]>([
    [{ type: "http", scheme: "Bearer" }, true],
    [{ type: "http", scheme: "basic" }, true],
    [{ type: "http", scheme: "digest" }, false],
    [{ type: "oauth2" }, true],
    [{ type: "openIdConnect" }, true],
    [{ type: "apiKey", in: "query", name: "k" }, true],
  ])("of the security scheme %j", (scheme, hasInvalid) => {
    expect(ofSecurity(secured(scheme))).toEqual([...anonymous, ...(hasInvalid ? [invalid] : []), head]);
  });

  test("include scopes, and exclude requirements without a scheme or with a scheme outside HTTP", () => {
    expect(ofSecurity(secured({ type: "oauth2" }, ["read"]))).toEqual([
      ...anonymous,
      invalid,
      head,
      "403 with credentials that lack the scopes",
    ]);
    expect(ofSecurity(secured({ type: "mutualTLS" }))).toEqual([]);
    expect(ofSecurity(titlesOf({ security: [{}] }))).toEqual([]);
    const components = { securitySchemes: { s: { type: "oauth2" }, tls: { type: "mutualTLS" } } };
    for (const other of [{}, { tls: [] }])
      expect(ofSecurity(titlesOf({ security: [{ s: [] }, other] }, { components }))).toEqual([]);
  });

  test.each<[security: object[], hasScopes: boolean]>([
    [[{ token: ["read"], key: [] }], true],
    [[{ token: ["read"] }, { key: ["read"] }], true],
    [[{ token: ["read"] }, { key: [] }], false],
  ])("of the scopes of %j: %s", (security, hasScopes) => {
    const securitySchemes = { token: { type: "oauth2" }, key: { type: "apiKey", in: "header", name: "X-K" } };
    const titles = titlesOf({ security }, { components: { securitySchemes } });
    expect(titles.includes("403 with credentials that lack the scopes")).toBe(hasScopes);
  });

  test.each<[methods: string[], undeclared: string | undefined]>([
    [["delete"], "PUT"],
    [["delete", "put"], "PATCH"],
    [["delete", "put", "patch"], "POST"],
    [["delete", "put", "patch", "post"], "GET"],
    [["delete", "put", "patch", "post", "get"], undefined],
  ])("of a path with the methods %j: 405 for %s", (methods, undeclared) => {
    const operations = methods.map(
      (method) => [method, { operationId: method, responses: { 200: json({}) } }] as const,
    );
    const checks = conformanceChecks({ openapi: "3.1.0", paths: { "/a": Object.fromEntries(operations) } });
    const refused = checks.map(({ title }) => title).filter((title) => title.startsWith("405"));
    expect(refused).toEqual(undeclared === undefined ? [] : methods.map(() => `405 for ${undeclared}`));
  });

  test("of a GET with a declared body exclude the body, because `fetch` sends none", () => {
    const requestBody = { content: { "application/json": {} } };
    const components = { securitySchemes: { s: { type: "oauth2" } } };
    const titles = titlesOf({ requestBody, security: [{ s: [] }] }, { components });
    expect(ofSecurity(titles)).toEqual([...anonymous, invalid, head]);
  });

  test.each<[scheme: object, sent: object]>([
    [{ type: "http", scheme: "Bearer" }, { authorization: "Bearer not-valid" }],
    [{ type: "openIdConnect" }, { authorization: "Bearer not-valid" }],
    [{ type: "http", scheme: "basic" }, { authorization: `Basic ${btoa("not:valid")}` }],
    [{ type: "apiKey", in: "query", name: "k" }, { url: "/a?k=not-valid" }],
    [{ type: "apiKey", in: "cookie", name: "k" }, { cookie: "k=not-valid" }],
    [{ type: "apiKey", in: "header", name: "X-K" }, { "x-k": "not-valid" }],
  ])("send invalid credentials for %j", async (scheme, sent) => {
    const seen: object[] = [];
    const server = createServer(({ url, headers }, response) => {
      seen.push({ url, ...headers });
      response
        .writeHead(401, { "WWW-Authenticate": 'Bearer error="invalid_token"', "Content-Type": "application/json" })
        .end("{}");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const document = documentOf(
      { responses: { 200: json({}) }, security: [{ s: [] }] },
      { components: { securitySchemes: { s: scheme } } },
    );
    try {
      const check = conformanceChecks(document).find(({ title }) => title === invalid);
      await check!.run({ baseUrl: `http://127.0.0.1:${port}` });
    } finally {
      server.closeAllConnections();
      server.close();
    }
    expect(seen).toEqual([expect.objectContaining({ url: "/a", ...sent })]);
  });

  const noBearer = `x: ${anonymous[0]}: expected the header WWW-Authenticate to match /\\bBearer\\b/i, got ApiKey`;
  test.each<[security: object[], fault: string | undefined]>([
    [[{ token: [] }], noBearer],
    [[{ token: [] }, { other: [] }], noBearer],
    [[{ key: [] }], undefined],
    [[{ token: [] }, { key: [] }], undefined],
    [[{ token: [], key: [] }], undefined],
  ])("of %j require the challenge Bearer, or any challenge: %s", async (security, fault) => {
    const key = { type: "apiKey", in: "header", name: "X-K" };
    const components = { securitySchemes: { token: { type: "oauth2" }, other: { type: "openIdConnect" }, key } };
    const document = documentOf({ responses: { 200: json({}) }, security }, { components });
    const check = conformanceChecks(document).find(({ title }) => title === anonymous[0])!;
    await using server = await listen((_request, response) => {
      response.writeHead(401, { "WWW-Authenticate": "ApiKey", "Content-Type": "application/json" }).end("{}");
    });
    const outcome = check.run(server).catch(({ message }: Error) => message);
    expect(await outcome).toBe(fault);
  });
});

describe("media types", () => {
  test.each<[text: string, read: object | undefined]>([
    [
      "Application/JSON; Charset=UTF-8",
      { essence: "application/json", canonical: "application/json", boundary: undefined },
    ],
    ["a/b; y=2; x=1", { essence: "a/b", canonical: "a/b; x=1; y=2", boundary: undefined }],
    [
      "multipart/form-data; boundary=B",
      { essence: "multipart/form-data", canonical: "multipart/form-data", boundary: "B" },
    ],
    ["text/plain; charset=latin1", undefined],
    ["text", undefined],
    ["", undefined],
    [`a/${"b".repeat(254)}`, expect.objectContaining({ essence: `a/${"b".repeat(254)}` }) as object],
    [`a/${"b".repeat(255)}`, undefined],
  ])("are parsed: %s", (text, read) => {
    expect(parseMediaType(text)).toEqual(read);
  });

  test.each<[sent: string, declared: string[], as: string | undefined]>([
    ["a/b", ["*/*", "a/*", "A/B"], "A/B"],
    ["a/b", ["a/b;charset=utf-8", "a/b"], "a/b;charset=utf-8"],
    ["a/b", ["*/*", "a/*"], "a/*"],
    ["a/b", ["c/*", "*/*"], "*/*"],
    ["a/b", ["a/c", "b/*"], undefined],
    ["a/b; v=1", ["a/b"], undefined],
    ["a/b; v=1", ["a/b", "a/b;v=1"], "a/b;v=1"],
  ])("are matched: %s with the declared %j is %s", (sent, declared, as) => {
    expect(declaredAs(parseMediaType(sent)!, declared)).toBe(as);
  });

  test("are JSON only by name or by suffix", () => {
    const isIt = ["application/json", "a/b+json", "text/json", "application/jsonl", "application/json-seq"].map(isJson);
    expect(isIt).toEqual([true, true, true, false, false]);
  });
});
