import express, { type RequestHandler } from "express";
import { operationsOf } from "openapi-document";
import { describe, expect, test } from "vitest";
import { conformanceChecks, ConformanceError, runConformance, type Target } from "../src/conformance/conformance.ts";
import { type Handlers, implement, type OpenApiDocument } from "../src/index.ts";
import { brokenServers, utterlyBroken } from "./broken-servers.ts";
import { anyJson } from "./echo.ts";
import { document as kennel, type operations } from "./fixtures/kennel.ts";
import { listen } from "./listen.ts";

describe("the checks", () => {
  const handlers: Handlers<operations> = {
    findDogs: ({ query }) => ({
      status: 200,
      headers: { "X-Total": query.limit },
      body: Array.from({ length: query.limit }, () => ({ name: "Rex", legs: 4 })),
    }),
    addDog: ({ body }) => ({ status: 201, headers: { Location: "/dogs/1" }, body }),
  };

  const bearing = (token: string) => () => ({ headers: { Authorization: `Bearer ${token}` } });
  const target = { credentials: bearing("good"), lesserCredentials: bearing("lesser") };
  const limits = { bodyLimit: 65_536 };
  const checks = conformanceChecks(kennel, limits);
  const SCOPES: Record<string, string[]> = { good: ["dogs:write"], lesser: [] };
  const untouched: RequestHandler = (_request, _response, next) => next();

  /** Serves the document behind a middleware that breaks it. */
  function serve(broken: RequestHandler, implemented: OpenApiDocument = kennel) {
    const bearer = (token: string) => SCOPES[token] && { caller: token, scopes: SCOPES[token] };
    const app = express().enable("strict routing");
    app.use(broken, implement<operations>()({ document: implemented, handlers, security: { bearer } }));
    return listen(app);
  }

  test("a server built with implement passes every check", async () => {
    await using server = await serve(untouched);
    const report = await runConformance(kennel, { ...target, baseUrl: server.baseUrl }, limits);
    expect(report).toEqual({ passed: checks.length, skipped: 0, failures: {}, unchecked: {} });
    expect(report.passed).toBeGreaterThan(60);
  });

  test("checks that need lesser credentials are skipped without them", async () => {
    await using server = await serve(untouched);
    const { credentials } = target;
    const report = await runConformance(kennel, { credentials, baseUrl: server.baseUrl }, limits);
    expect(report).toEqual({ passed: checks.length - 1, skipped: 1, failures: {}, unchecked: {} });
  });

  describe("a server with a fault fails the checks", () => {
    test.each([...utterlyBroken, ...brokenServers])("%s", async (_title, fails, says, broken) => {
      await using server = await (typeof broken === "function" ? serve(broken) : serve(untouched, broken));
      const due = checks.filter(({ title }) => fails.test(title));
      const outcomes = await Promise.all(
        due.map(({ operationId, title, run }) =>
          run({ ...target, baseUrl: server.baseUrl }).then(
            () => `${operationId}: ${title}: passed`,
            (error: unknown) => (error instanceof ConformanceError ? error.message : String(error)),
          ),
        ),
      );
      expect(outcomes.filter((outcome) => outcome.endsWith(": passed"))).toEqual([]);
      expect(outcomes.join("\n")).toMatch(says);
    });

    test("every check fails for at least one server with a single fault", () => {
      const untested = checks.filter(({ title }) => !brokenServers.some(([, fails]) => fails.test(title)));
      expect(untested.map(({ title }) => title)).toEqual([]);
    });
  });

  test("an unavailable server is an error, not a failed check", async () => {
    await expect(runConformance(kennel, { ...target, baseUrl: "http://127.0.0.1:1" })).rejects.toThrow("fetch failed");
  });

  test("a missing example and a broken reference skip the checks of their operation alone", async () => {
    const bare = structuredClone(kennel) as unknown as {
      paths: Record<string, Record<string, { requestBody: object }>>;
      components: { schemas: { Dog: { properties: Record<string, object> } } };
    };
    bare.components.schemas.Dog.properties["name"] = { type: "string", pattern: "^(.)\\1$" };
    bare.paths["/broken"] = {
      post: { operationId: "broken", responses: {}, requestBody: { $ref: "#/nothing" } } as never,
    };
    await using server = await serve(untouched);
    const report = await runConformance(bare as unknown as OpenApiDocument, { ...target, baseUrl: server.baseUrl });
    expect(report.unchecked).toEqual({
      addDog: ['The document gives no example for the body of "addDog" at /name: add one.'],
      broken: ["The reference #/nothing has no target."],
    });
    expect(report.skipped).toBeGreaterThan(1);
    expect(report.passed).toBeGreaterThan(10);
  });

  test("a connection that ends without a response is a failed check", async () => {
    const paths = { "/x": { get: { operationId: "x", responses: anyJson } } };
    await using server = await listen((_request, response) => void response.destroy());
    const report = await runConformance({ openapi: "3.1.0", paths }, { baseUrl: server.baseUrl });
    expect(report.failures["x"]).toContain(
      "x: a valid request is accepted: expected a response, but the connection ended",
    );
    expect(report.passed).toBe(0);
  });
});

describe("other documents", () => {
  const form = (schema: object) => ({ content: { "application/x-www-form-urlencoded": { schema } } });
  const pattern = (source: string) => ({ type: "string", minLength: 0, pattern: source });

  /** Operations of kinds that public documents have. Each was once a false positive of the checks. */
  const paths = {
    "/tags/{arn}": {
      post: {
        operationId: "emptyPatterns",
        parameters: [
          { name: "arn", in: "path", required: true, schema: pattern("^[a-z:]*$") },
          { name: "since", in: "query", required: true, schema: pattern("^\\d*$") },
        ],
      },
    },
    "/jobs#Action=start?now": { get: { operationId: "marksInTheTemplate" } },
    "/flows": {
      post: {
        operationId: "optionalForm",
        requestBody: form({ type: "object", properties: { name: { type: "string" } }, additionalProperties: false }),
      },
    },
    "/flows/one": {
      put: {
        operationId: "formOfOneField",
        requestBody: form({ type: "object", properties: { name: { type: "string" } }, required: ["name"] }),
      },
    },
    "/labels": {
      put: {
        operationId: "mapOfOne",
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: { type: "object", minProperties: 2, additionalProperties: { type: "string", format: "date" } },
            },
          },
        },
      },
    },
  };

  test("the checks pass for operations of the kinds that public documents have", async () => {
    const document = { openapi: "3.0.3", info: { title: "t", version: "1" }, paths };
    for (const { operation } of operationsOf(document)) operation.responses = anyJson;
    const handlers = Object.fromEntries(operationsOf(document).map(({ id }) => [id, () => ({ status: 200, body: 1 })]));
    const implementation = implement()({ document, handlers: handlers as never });
    await using server = await listen(express().enable("strict routing").use(implementation));
    const { failures, unchecked, passed } = await runConformance(document, { baseUrl: server.baseUrl });
    expect({ failures, unchecked }).toEqual({ failures: {}, unchecked: {} });
    expect(passed).toBeGreaterThan(40);
  });
});

describe("the requests", () => {
  const done = { 200: { description: "", content: { "application/json": { schema: {} } } } };
  const query = (name: string, schema: object, more: object = {}) => ({ name, in: "query", schema, ...more });
  const required = { required: true };
  const posting = (type: string, schema: object, more: object = {}) => ({
    post: {
      operationId: "act",
      requestBody: { required: true, content: { [type]: { schema } } },
      responses: done,
      ...more,
    },
  });
  const getting = (parameters: object[], more: object = {}) => ({
    get: { operationId: "act", parameters, responses: done, ...more },
  });

  type Input = Record<string, unknown>;

  /** Checks the operation `act` of the reference implementation. Returns the handler's input of its valid requests. */
  async function check(
    paths: object,
    target: Partial<Target> = {},
    more: object = {},
    answer: object = { status: 200, body: {} },
  ) {
    const document: OpenApiDocument = { openapi: "3.1.0", paths, ...more };
    const inputs: Input[] = [];
    const act = (input: Input) => (inputs.push(input), answer);
    const key = (credential: string) => (credential === "good" ? { caller: credential } : undefined);
    const handlers = { act, ...(Object.keys(paths).length > 1 && { other: act }) };
    const security = "components" in more ? { key } : {};
    await using server = await listen(implement()({ document, handlers: handlers as never, security }));
    const report = await runConformance(document, { baseUrl: server.baseUrl, ...target });
    const titles = conformanceChecks(document).map(({ title }) => title);
    return { failures: report.failures, input: inputs[0]!, titles };
  }

  describe("a correct server passes the checks of a document with", () => {
    test.each<[string, object]>([
      ["a list in the query", query("tags", { type: "array", items: { type: "string" }, maxItems: 2 })],
      ["a type and null", query("name", { type: ["string", "null"], minLength: 1 })],
      ["two types", query("id", { type: ["integer", "string"], maximum: 9 })],
      ["a parameter without a type", query("any", { maximum: 9 })],
      ["an object spread over the query", query("filter", { type: "object", properties: { a: { type: "string" } } })],
    ])("%s", async (_title, parameter) => {
      const { failures, titles } = await check({ "/a": getting([parameter]) });
      expect(failures).toEqual({});
      expect(titles.filter((title) => /wrong type|maximum/.test(title))).toEqual([]);
    });

    test("undeclared fields, if an object reads them from the query", async () => {
      const { titles } = await check({ "/a": getting([query("filter", { type: "object" })]) });
      expect(titles).not.toContain("400 for unknown query parameter");
    });

    test("several types in a body", async () => {
      const properties = { a: { type: ["string", "null"], maxLength: 3 }, b: { type: ["string", "integer"] } };
      const { failures, titles } = await check({ "/a": posting("application/json", { type: "object", properties }) });
      expect(failures).toEqual({});
      expect(titles).toContain("400 for body with the field a longer than allowed");
      expect(titles.filter((title) => /field . of the wrong type/.test(title))).toEqual([]);
    });

    test("a required field that is readOnly", async () => {
      const properties = { id: { type: "integer", readOnly: true }, name: { type: "string" } };
      const schema = { type: "object", required: ["id", "name"], properties, example: { id: 1, name: "Rex" } };
      const { failures, input, titles } = await check({ "/a": posting("application/json", schema) });
      expect(failures).toEqual({});
      expect(input["body"]).toEqual({ name: "Rex" });
      expect(titles.join()).not.toContain("the field id");
    });

    test("a body schema with several members of allOf", async () => {
      const part = (name: string, more: object = {}) => ({
        type: "object",
        required: [name],
        properties: { [name]: { type: "string" }, ...more },
      });
      const { failures, input, titles } = await check({
        "/a": posting("application/json", {
          allOf: [part("one"), part("two", { one: { minLength: 2 } }), { required: ["three"] }],
        }),
      });
      expect(failures).toEqual({});
      expect(input["body"]).toEqual({ one: "xx", two: "x", three: "x" });
      expect(titles).toContain("400 for body without the field two");
      expect(titles).toContain("400 for body with the field one of the wrong type");
    });

    test("a file", async () => {
      const properties = { name: { type: "string" }, photo: { type: "string", format: "binary" } };
      const schema = { type: "object", required: ["name", "photo"], properties };
      const { failures, input } = await check({ "/a": posting("multipart/form-data", schema) });
      expect(failures).toEqual({});
      expect(input).toMatchObject({ body: { name: "x" }, files: [{ field: "photo" }] });
    });

    test("a form", async () => {
      const properties = { name: { type: "string" }, tags: { type: "array", items: { type: "string" }, minItems: 2 } };
      const schema = { type: "object", required: ["name", "tags"], properties };
      const { failures, input } = await check({ "/a": posting("application/x-www-form-urlencoded", schema) });
      expect(failures).toEqual({});
      expect(input["body"]).toEqual({ name: "x", tags: ["x", "x"] });
    });

    test("an object in the query", async () => {
      const schema = { type: "object", required: ["age"], properties: { age: { type: "integer" } } };
      const parameter = query("filter", schema, { style: "deepObject", explode: true, ...required });
      const { failures, input } = await check({ "/a": getting([parameter]) });
      expect(failures).toEqual({});
      expect(input["query"]).toEqual({ filter: { age: 1 } });
    });

    test("cookies", async () => {
      const cookie = {
        name: "session",
        in: "cookie",
        schema: { type: "string", minLength: 3, maxLength: 5 },
        ...required,
      };
      const { failures, input, titles } = await check({ "/a": getting([cookie]) });
      expect(failures).toEqual({});
      expect(input["cookies"]).toEqual({ session: "xxx" });
      expect(titles).toContain("400 for cookie parameter session longer than allowed");
    });

    test("a path that matches the undeclared path of the checks", async () => {
      const path = (name: string) => ({ name, in: "path", schema: { type: "string" }, ...required });
      const { get } = getting([path("a"), path("x")]);
      const { failures } = await check({
        "/{a}": getting([path("a")]),
        "/{a}/no/such/{x}": { get: { ...get, operationId: "other" } },
      });
      expect(failures).toEqual({});
    });

    test.each(["query", "cookie", "header"])("an API key in the %s", async (place) => {
      const components = { securitySchemes: { key: { type: "apiKey", in: place, name: "key" } } };
      const headers = { query: {}, header: { key: "good" }, cookie: { Cookie: "key=good" } }[place]!;
      const credentials = () => (place === "query" ? { query: { key: "good" } } : { headers });
      const { failures, titles } = await check(
        { "/a": getting([]) },
        { credentials },
        { components, security: [{ key: [] }] },
      );
      expect(failures).toEqual({});
      expect(titles).toContain("401 with credentials that are not valid");
    });

    test("an API key in a cookie, and a cookie parameter", async () => {
      const cookie = { name: "session", in: "cookie", schema: { type: "string" }, ...required };
      const components = { securitySchemes: { key: { type: "apiKey", in: "cookie", name: "key" } } };
      const credentials = () => ({ headers: { Cookie: "key=good" } });
      const { failures, input } = await check(
        { "/a": getting([cookie]) },
        { credentials },
        { components, security: [{ key: [] }] },
      );
      expect(failures).toEqual({});
      expect(input["cookies"]).toEqual({ session: "x" });
    });

    test.each<[string, object]>([
      ["a success without a body", { responses: { 204: { description: "" } } }],
      ["only a default response", { responses: { default: done[200] } }],
      [
        "a media type with parameters",
        { responses: { 200: { description: "", content: { "application/json; v=1": {} } } } },
      ],
    ])("%s", async (_title, more) => {
      const status = Object.keys((more as { responses: object }).responses)[0] === "204" ? 204 : 200;
      const body = status === 200 ? {} : undefined;
      const { failures } = await check({ "/a": getting([], more) }, {}, {}, { status, body });
      expect(failures).toEqual({});
    });
  });
});
