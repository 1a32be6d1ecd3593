import { describe, expect, test } from "vitest";
import { clientOperations } from "../src/generate/operations.ts";
import { typesOfSchema } from "../src/contract/schema-types.ts";
import { kindOf } from "../src/generate/bodies.ts";
import { identifierOf } from "../src/generate/code.ts";
import { schemesOf, sharedSecurity } from "../src/generate/security.ts";

const components = {
  schemas: { Text: { type: "string" }, Loop: { allOf: [{ $ref: "#/components/schemas/Loop" }] }, No: false },
  parameters: { Shared: { name: "q", in: "query", schema: { type: "array" } } },
  responses: { Null: { content: { "application/json": { schema: { type: ["string", "null"] } } } } },
};
const document = (item: object, more: object = {}) => ({
  openapi: "3.1.1",
  paths: { "/x": item },
  components,
  ...more,
});
const ref = (name: string) => ({ $ref: `#/components/${name}` });
const done = { 200: { description: "" } };

test.each([
  ["text/event-stream; charset=utf-8", "events"],
  ["application/ndjson", "lines"],
  ["application/x-ndjson", "lines"],
  ["application/jsonl", "lines"],
  ["application/x-jsonlines", "lines"],
  ["application/json-lines", "lines"],
  ["application/vnd.a+jsonl", "lines"],
  ["application/jsonl-x", "binary"],
  ["application/ndjson-x", "binary"],
  ["x-application/jsonl", "binary"],
  ["application/json-seq", "sequence"],
  ["application/geo+json-seq", "sequence"],
  ["Application/JSON", "json"],
  ["text/json", "json"],
  ["application/problem+json", "json"],
  ["image/json", "binary"],
  ["application/json5", "binary"],
  ["application/json+x", "binary"],
  ["application/x-www-form-urlencoded", "form"],
  ["multipart/form-data; boundary=x", "multipart"],
  ["multipart/mixed", "binary"],
  ["*/*", "any"],
  ["application/*", "any"],
  ["text/*", "text"],
  ["text/csv", "text"],
  ["application/xml", "text"],
  ["application/soap+xml", "text"],
  ["image/svg+xml", "text"],
  ["application/yaml", "text"],
  ["application/x-yaml", "text"],
  ["application/openapi+yaml", "text"],
  ["application/javascript", "text"],
  ["application/graphql", "text"],
  ["application/sql", "text"],
  ["application/xml-dtd", "binary"],
  ["application/xml2", "binary"],
  ["context/csv", "binary"],
  ["image/*", "binary"],
  ["application/octet-stream", "binary"],
])("the media type %s is read and written as %s", (type, kind) => {
  expect(kindOf(type)).toBe(kind);
});

describe("the types of a schema", () => {
  test.each<[schema: unknown, types: string[]]>([
    [undefined, ["any"]],
    [{}, ["any"]],
    [true, ["any"]],
    [{ type: "string" }, ["string"]],
    [{ type: ["string", "null"] }, ["string", "null"]],
    [{ type: "string", nullable: true }, ["string", "null"]],
    [{ nullable: true }, ["null"]],
    [ref("schemas/Text"), ["string"]],
    [ref("schemas/Loop"), ["any"]],
    [{ oneOf: [{ type: "string" }, { anyOf: [{ type: "array" }, {}] }] }, ["string", "array", "any"]],
    [{ anyOf: [{ type: "null" }], allOf: [{ type: "object" }] }, ["null"]],
    [{ allOf: [{}, { type: "object" }, { type: "string" }] }, ["object"]],
    [{ allOf: [{}], properties: {} }, ["object"]],
    [{ additionalProperties: {} }, ["object"]],
    [{ items: {} }, ["array"]],
    [{ enum: [1, "a", null, [], true, {}] }, ["number", "string", "null", "array", "boolean", "object"]],
    [{ const: "a" }, ["string"]],
    [{ const: null }, ["null"]],
    [{ type: "string", enum: [1] }, ["string"]],
  ])("%j are %j", (schema, types) => {
    expect([...typesOfSchema(document({}), schema as never)]).toEqual(types);
  });
});

describe("a parameter's value is written by", () => {
  const list = { type: "array" };
  const any = {};
  test.each<[parameter: Record<string, unknown>, code: string | undefined]>([
    [{ in: "query", schema: { type: "string" } }, undefined],
    [{ in: "query", schema: list }, undefined],
    [{ in: "query", schema: list, explode: true }, undefined],
    [{ in: "query", schema: list, explode: false }, 'styled("form", false)'],
    [{ in: "query", schema: { type: "string" }, explode: false }, undefined],
    [{ in: "query", schema: { type: "object" } }, 'styled("form", true)'],
    [{ in: "query", schema: any }, 'styled("form", true)'],
    [{ in: "query", schema: any, explode: false }, 'styled("form", false)'],
    [{ in: "query", schema: { type: "string" }, allowReserved: true }, 'styled("form", true, true)'],
    [{ in: "query", schema: { type: "string" }, allowReserved: false }, undefined],
    [{ in: "query", schema: { type: "string" }, style: "deepObject" }, 'styled("deepObject", false)'],
    [{ in: "query", schema: { type: "string" }, style: "pipeDelimited" }, undefined],
    [{ in: "query", schema: list, style: "pipeDelimited" }, 'styled("pipeDelimited", false)'],
    [{ in: "query", schema: list, style: "spaceDelimited", explode: true }, 'styled("spaceDelimited", true)'],
    [{ in: "path", schema: { type: "string" } }, undefined],
    [{ in: "path", schema: list, explode: true }, undefined],
    [{ in: "path", schema: { type: "object" } }, 'styled("simple", false)'],
    [{ in: "path", schema: { type: "string" }, style: "label" }, 'styled("label", false)'],
    [{ in: "path", schema: { type: "string" }, style: "matrix", explode: true }, 'styled("matrix", true)'],
    [{ in: "path", schema: { type: "string" }, allowReserved: true }, undefined],
    [{ in: "header", schema: list, explode: true }, undefined],
    [{ in: "header", schema: { type: "object" }, explode: true }, 'styled("simple", true)'],
    [{ in: "cookie", schema: list }, undefined],
    [{ in: "cookie", schema: list, explode: false }, 'styled("form", false)'],
    [{ in: "query", content: { "text/plain": {} } }, undefined],
    [{ in: "query", content: { "application/json": {} } }, 'jsonParameter("query")'],
    [{ in: "header", content: { "*/*": {} } }, 'jsonParameter("header")'],
  ])("%j: %s", (given, code) => {
    const parameter = { name: "p", required: given["in"] === "path", ...given };
    const path = given["in"] === "path" ? "/x/{p}" : "/x";
    const paths = { [path]: { get: { operationId: "read", parameters: [parameter], responses: done } } };
    const { arguments: own } = clientOperations({ openapi: "3.1.1", paths })[0]!;
    expect(own[0]).toMatchObject({ name: "p", wire: "p", in: given["in"], isRequired: given["in"] === "path" });
    expect(own[0]!.writer?.code).toBe(code);
  });

  test.each([
    [{ in: "query", content: {} }, 'has the parameter "p" of . The client writes JSON and text in parameters.'],
    [
      { in: "header", style: "form" },
      'has the parameter "p" in header with the style form, which OpenAPI does not define there.',
    ],
    [
      { in: "cookie", style: "simple" },
      'has the parameter "p" in cookie with the style simple, which OpenAPI does not define there.',
    ],
    [{ in: "toString" }, 'has the parameter "p" in "toString", which the client does not write.'],
  ])("nothing for %j: it is refused", (parameter, message) => {
    const item = { get: { operationId: "read", parameters: [{ name: "p", ...parameter }], responses: done } };
    expect(() => clientOperations(document(item))).toThrow(
      expect.objectContaining({ name: "Refusal", operationId: "read", message: `read ${message}` }),
    );
  });

  test("the text of a required argument, if the contract or its location says so", () => {
    const parameters = [
      { name: "p", in: "path", schema: { type: "string" } },
      { name: "q", in: "query", required: true, schema: { type: "string" } },
      { name: "r", in: "query", schema: { type: "string" } },
    ];
    const requiredOf = (own: object[]) => {
      const paths = { "/{p}": { get: { operationId: "read", parameters: own, responses: done } } };
      const { arguments: found, isInputRequired } = clientOperations({ openapi: "3.1.1", paths })[0]!;
      return [found.map(({ isRequired }) => isRequired), isInputRequired];
    };
    expect(requiredOf(parameters)).toEqual([[true, true, false], true]);
    const paths = { "/": { get: { operationId: "read", parameters: parameters.slice(2), responses: done } } };
    expect(clientOperations({ openapi: "3.1.1", paths })[0]!.isInputRequired).toBe(false);
  });

  test("a name with its location before it, if the body or its type has the same name", () => {
    const parameters = ["body", "contentType"].map((name) => ({ name, in: "query", schema: { type: "string" } }));
    const namesOf = (content: object) => {
      const put = { operationId: "write", parameters, requestBody: { content, required: true }, responses: done };
      return clientOperations(document({ put }))[0]!.arguments.map(({ name }) => name);
    };
    expect(namesOf({ "text/csv": {} })).toEqual(["query.body", "contentType"]);
    expect(namesOf({ "text/csv": {}, "text/plain": {} })).toEqual(["query.body", "query.contentType"]);
    expect(namesOf({})).toEqual(["body", "contentType"]);
    const closed = { type: "object", additionalProperties: false };
    expect(namesOf({ "application/json": { schema: closed } })).toEqual(["body", "contentType"]);
  });
});

describe("a response", () => {
  const json = (schema: object = {}) => ({ content: { "application/json": { schema } } });
  const responsesOf = (responses: object, method = "get") =>
    clientOperations(document({ [method]: { operationId: "act", responses } }))[0]!.responses;

  test("has its key, media types and kind", () => {
    const found = responsesOf({
      200: json(),
      "2xx": {},
      "4xx": json(),
      default: json(),
      304: json(),
      "x-note": {},
      99: {},
      600: {},
      "6XX": {},
    });
    expect(found.map(({ key, declaredKey, isSuccess, media }) => [key, declaredKey, isSuccess, media.length])).toEqual([
      [200, "200", true, 1],
      [304, "304", false, 0],
      ["2XX", "2xx", true, 0],
      ["4XX", "4xx", false, 1],
      ["default", "default", false, 1],
    ]);
  });

  test.each([
    [{ default: {} }, [true]],
    [{ 404: {}, "3XX": {}, default: {} }, [false, false, true]],
    [{ "2XX": {}, default: {} }, [true, false]],
  ])("%j: default is a success without another: %j", (responses, areSuccesses) => {
    expect(responsesOf(responses).map(({ isSuccess }) => isSuccess)).toEqual(areSuccesses);
  });

  test.each<[responses: object, method: string, media: number]>([
    [{ 204: json() }, "get", 0],
    [{ 205: json() }, "get", 0],
    [{ 200: json() }, "head", 0],
    [{ 200: json() }, "get", 1],
  ])("%j of %s has %s bodies", (responses, method, count) => {
    expect(responsesOf(responses, method)[0]!.media).toHaveLength(count);
  });

  test.each<[response: object, isNullable: boolean]>([
    [json(), true],
    [json({ type: "string" }), false],
    [ref("responses/Null"), true],
    [{ content: { "text/csv": {} } }, false],
    [{ content: { "*/*": {} } }, true],
    [{ content: { "text/csv": {}, "application/json": { schema: { type: ["null"] } } } }, true],
    [{}, false],
  ])("%j may be null: %s", (response, isNullable) => {
    expect(responsesOf({ 200: response })[0]!.isNullable).toBe(isNullable);
  });
});

describe("a body", () => {
  const bodyOf = (content: object, method = "post", required = true) =>
    clientOperations(
      document({ [method]: { operationId: "act", requestBody: { content, required }, responses: done } }),
    )[0]!;

  test("has JSON first, as its default", () => {
    const { body } = bodyOf({ "text/csv": {}, "application/json": {}, "image/png": {} });
    expect(body?.media.map(({ type }) => type)).toEqual(["application/json", "text/csv", "image/png"]);
  });

  test("without media types is none", () => {
    expect(bodyOf({}).body).toBeUndefined();
    expect(bodyOf({}, "get").body).toBeUndefined();
  });

  test.each(["get", "head"])("of %s is refused", (method) => {
    const problem = `act has a request body, which \`fetch\` does not send with ${method.toUpperCase()}. Use another method.`;
    expect(() => bodyOf({ "text/csv": {} }, method)).toThrow(problem);
  });

  const closed = { type: "object", additionalProperties: false, properties: { a: {}, b: {} } };
  test.each<[schema: object, required: boolean, described: object]>([
    [
      { ...closed, required: ["b"] },
      true,
      { hasFields: true, requiredFields: 1, firstField: { name: "a", isRequired: false } },
    ],
    [
      { ...closed, required: ["a", "b"] },
      true,
      { hasFields: true, requiredFields: 2, firstField: { name: "a", isRequired: true } },
    ],
    [closed, true, { hasFields: true, requiredFields: 0, firstField: { name: "a", isRequired: false } }],
    [{ ...closed, properties: {} }, true, { hasFields: true, requiredFields: 0, firstField: undefined }],
    [{ ...closed, required: ["a"] }, false, { hasFields: false, requiredFields: 0, firstField: undefined }],
    [{ ...closed, oneOf: [] }, true, { hasFields: false }],
    [{ ...closed, anyOf: [] }, true, { hasFields: false }],
    [{ ...closed, additionalProperties: undefined }, true, { hasFields: false }],
    [{ ...closed, type: undefined }, true, { hasFields: false }],
  ])("of %j, required: %s", (schema, required, described) => {
    const { body, isInputRequired } = bodyOf({ "application/json": { schema } }, "post", required);
    expect(body).toMatchObject({ isRequired: required, ...described });
    expect(isInputRequired).toBe(required && (!body!.hasFields || body!.requiredFields > 0));
  });

  test.each(["text/plain", "application/x-www-form-urlencoded"])("of %s has no fields as arguments", (type) => {
    expect(bodyOf({ [type]: { schema: closed } }).body?.hasFields).toBe(false);
    expect(bodyOf({ "application/json": { schema: closed }, [type]: {} }).body?.hasFields).toBe(false);
  });
});

describe("the settings of an operation", () => {
  const key = { name: "Idempotency-Key", in: "header", schema: { type: "string" } };
  const operationOf = (operation: object, method = "get", item: object = {}, config: object = {}) =>
    clientOperations(
      document({ [method]: { operationId: "act", responses: done, ...operation }, ...item }),
      config,
    )[0]!;

  test.each<[operation: object, method: string, settings: object, isRetryable: boolean]>([
    [{}, "get", {}, true],
    [{}, "head", {}, true],
    [{}, "put", {}, false],
    [{}, "options", {}, false],
    [{ parameters: [key] }, "post", {}, true],
    [{ parameters: [{ ...key, in: "query" }] }, "post", {}, false],
    [{ parameters: [key] }, "post", { idempotencyHeader: "X-Key" }, false],
    [{ "x-retryable": true }, "post", {}, true],
    [{ "x-retryable": false }, "get", {}, false],
    [{ "x-retryable": "no" }, "get", {}, true],
    [{ "x-retryable": true }, "get", { operations: { act: { retry: false } } }, false],
    [{}, "delete", { operations: { act: { retry: true } } }, true],
  ])("%j of %s, with %j, may be repeated: %s", (operation, method, settings, isRetryable) => {
    expect(operationOf(operation, method, {}, settings).isRetryable).toBe(isRetryable);
  });

  test.each<[operation: object, item: object, server: string | undefined]>([
    [{}, {}, undefined],
    [{ servers: [] }, {}, undefined],
    [{}, { servers: [{ url: "/a" }, { url: "/b" }] }, "/a"],
    [{ servers: [{ url: "/c" }] }, { servers: [{ url: "/a" }] }, "/c"],
    [{ servers: [{ url: "//{h}/{i}{h}", variables: { h: { default: "x" } } }] }, {}, "//{h}/{i}{h}"],
    [{ servers: [{ url: "/" }] }, { servers: [{ url: "/a" }] }, undefined],
    [{ servers: [{ url: "/a" }, { url: "/" }] }, {}, undefined],
    [{}, { servers: [{ url: "{path}", variables: { path: { default: "/" } } }] }, undefined],
    [{ servers: [{ url: "//" }] }, {}, undefined],
  ])("%j in %j: its own server is %s", (operation, item, server) => {
    expect(operationOf(operation, "get", item).server).toBe(server);
  });

  test.each<[operation: object, deprecated: object | undefined, documentation: string[]]>([
    [{}, undefined, []],
    [{ summary: "A\nb" }, undefined, ["A", "b", ""]],
    [{ description: "C\n\nd\n" }, undefined, ["C", "", "d"]],
    [{ deprecated: true }, {}, ["@deprecated"]],
    [{ "x-sunset": "2030-01-02" }, undefined, []],
    [
      { deprecated: true, "x-deprecated-at": "2026-01-02", "x-sunset": "2030-01-02", summary: "A" },
      { since: "2026-01-02", sunset: "2030-01-02" },
      ["A", "", "@deprecated Will be removed on 2030-01-02."],
    ],
    [{ deprecated: true, "x-successor": "other" }, { successor: "other" }, ["@deprecated Use `other`."]],
  ])("%j", (operation, deprecated, documentation) => {
    expect(operationOf(operation)).toMatchObject({ documentation });
    expect(operationOf(operation).deprecated).toEqual(deprecated);
  });

  test.each([
    [[key], {}, false],
    [[{ name: "accept", in: "header" }], {}, true],
    [[], { parameters: [{ name: "Authorization", in: "header" }] }, true],
    [[key], { parameters: [key] }, false],
    [[{ name: "Accept", in: "query" }], {}, false],
    [[ref("parameters/Shared")], {}, false],
  ])("with the parameters %j and %j, OpenAPI ignores headers: %s", (parameters, item, hasIgnoredHeaders) => {
    expect(operationOf({ parameters }, "get", item).hasIgnoredHeaders).toBe(hasIgnoredHeaders);
  });
});

describe("security", () => {
  const securitySchemes = {
    token: { type: "http", scheme: "Bearer" },
    user: { type: "http", scheme: "basic" },
    digest: { type: "http", scheme: "digest" },
    oauth: { type: "oauth2" },
    openid: { type: "openIdConnect" },
    certificate: { type: "mutualTLS" },
    header: { type: "apiKey", in: "header", name: "X-Key" },
    query: { type: "apiKey", in: "query", name: "key" },
    cookie: { type: "apiKey", in: "cookie", name: "sid" },
    path: { type: "apiKey", in: "path", name: "p" },
    basic: { type: "oauth", scheme: "basic", in: "query" },
    alias: { $ref: "#/components/securitySchemes/user" },
  };
  const secured = (operation: object, more: object = {}) =>
    clientOperations({
      openapi: "3.1.1",
      paths: { "/x": { get: { operationId: "act", responses: done, ...operation } } },
      components: { securitySchemes },
      ...more,
    });

  test("has the schemes that the client sends", () => {
    const made = schemesOf({ openapi: "3.1.1", components: { securitySchemes } });
    expect(Object.fromEntries(made)).toEqual({
      token: { import: "bearer", arguments: [] },
      user: { import: "basic", arguments: [] },
      oauth: { import: "bearer", arguments: [] },
      openid: { import: "bearer", arguments: [] },
      certificate: { import: "mutualTls", arguments: [] },
      header: { import: "apiKey", arguments: ["header", "X-Key"] },
      query: { import: "apiKey", arguments: ["query", "key"] },
      cookie: { import: "apiKey", arguments: ["cookie", "sid"] },
      alias: { import: "basic", arguments: [] },
    });
    expect(schemesOf({ openapi: "3.1.1" }).size).toBe(0);
  });

  test.each<[own: object[] | undefined, shared: object[], security: string[][]]>([
    [undefined, [{ token: [] }], [["token"]]],
    [[], [{ token: [] }], []],
    [[{}, { token: [], user: [] }, { header: [] }], [], [["token", "user"], ["header"], []]],
    [[{ digest: [] }, { digest: [], token: [] }, { user: [] }], [], [["user"]]],
    [[{ digest: [] }, {}], [], [[]]],
  ])("%j, beside %j of the contract", (own, shared, security) => {
    const [described] = secured({ ...(own && { security: own }) }, { security: shared });
    expect(described?.security).toEqual(security);
  });

  test.each([
    [[{ lost: [] }], 'requires the security scheme "lost", which the contract does not declare.'],
    [
      [{ user: [] }, { lost: [], gone: [] }],
      'requires the security scheme "lost", which the contract does not declare.',
    ],
    [
      [{ token: [], digest: [] }, { path: [] }],
      'requires the security scheme "digest" of the type http and the scheme digest, which the client does not send.',
    ],
    [
      [{ path: [], digest: [] }],
      'requires the security scheme "path" of the type apiKey, which the client does not send.',
    ],
  ])("%j is refused", (security, problem) => {
    const error = { name: "Refusal", message: `act ${problem}` };
    expect(() => secured({ security })).toThrow(expect.objectContaining(error));
  });

  test("of most operations is that of the client", () => {
    const of = (...securities: string[][][]) => sharedSecurity(securities.map((security) => ({ security })) as never);
    expect(of()).toEqual([]);
    expect(of([["a"]], [["b"]], [["b"]], [["c"]])).toEqual([["b"]]);
    expect(of([["a"]], [["b"]])).toEqual([["a"]]);
  });
});

describe("names", () => {
  test.each([
    ["", "operation"],
    ["---", "operation"],
    ["list  things!", "listThings"],
    ["-a b-", "aB"],
    ["GET /a/{b}", "getAB"],
    ["GET of", "GETOf"],
    ["get /a", "getA"],
    ["2fa", "_2fa"],
    ["a2", "a2"],
    ["$a_b", "$a_b"],
    ["await", "await_"],
    ["yield", "yield_"],
    ["enum", "enum_"],
    ["Class", "Class"],
  ])("%j is the identifier %s", (id, name) => {
    expect(identifierOf(id)).toBe(name);
  });

  test("of settings name operations of the contract", () => {
    const item = { get: { operationId: "a", responses: done }, put: { operationId: "b", responses: done } };
    expect(() => clientOperations(document(item), { operations: { c: {} } })).toThrow(
      new TypeError('The configuration names the operation "c", which the contract does not have.'),
    );
    const found = clientOperations(document(item), { operations: { a: false, b: { name: "delete_" } } });
    expect(found.map(({ name, typeName, method }) => [name, typeName, method])).toEqual([["delete_", "Delete", "PUT"]]);
  });
});
