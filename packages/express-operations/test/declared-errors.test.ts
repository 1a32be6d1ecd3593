import { describe, expect, test } from "vitest";
import type { OpenApiDocument } from "openapi-document";
import { declaredErrors } from "../src/declared-errors/declared-errors.ts";
import { conformanceChecks } from "../src/conformance/conformance.ts";
import { implement } from "../src/implement.ts";
import { Problem } from "../src/problem.ts";
import { listen } from "./listen.ts";

const MISSING = new Problem(404, "not_found", "There is no such book.");

function documentOf(schema: object | undefined, mediaType = "application/json", openapi = "3.1.1"): OpenApiDocument {
  const declared = { description: "", content: { [mediaType]: schema === undefined ? {} : { schema } } };
  const responses = { 200: { description: "" }, 404: declared };
  return { openapi, paths: { "/books": { get: { operationId: "listBooks", responses } } } };
}

function errorOf(document: OpenApiDocument, problem = MISSING, operationId: string | undefined = "listBooks") {
  return declaredErrors(document)(problem, { operationId, contentTypes: [] });
}

const text = { type: "string" };
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

describe("an error has the declared schema", () => {
  test.each<[string, object, unknown]>([
    [
      "code, message and status",
      object({ code: text, message: text, status: { type: "integer" } }),
      { code: "not_found", message: "There is no such book.", status: 404 },
    ],
    [
      "a numeric code",
      object({ code: { type: "integer" }, message: text }),
      { code: 404, message: "There is no such book." },
    ],
    [
      "OAuth's fields",
      object({ error: text, error_description: text }),
      { error: "not_found", error_description: "There is no such book." },
    ],
    ["the message as `error`", object({ error: text }), { error: "There is no such book." }],
    [
      "nested in `error`",
      object({ error: object({ statusCode: { type: "number" }, message: text }) }),
      { error: { statusCode: 404, message: "There is no such book." } },
    ],
    [
      "a list of errors",
      object({ errors: { type: "array", items: object({ detail: text, status: text }) } }, { required: ["errors"] }),
      { errors: [{ detail: "There is no such book.", status: "404" }] },
    ],
    ["a text", text, "There is no such book."],
    [
      "required fields of other names",
      object({ id: { type: "integer", minimum: 3 }, message: text }, { required: ["id"] }),
      { id: 3, message: "There is no such book." },
    ],
    [
      "a code that is not in its enum",
      object({ code: { enum: ["gone"], type: "string" }, message: text }, { required: ["code"] }),
      { code: "gone", message: "There is no such book." },
    ],
    [
      "a plain one where the schema holds no fact",
      object({ message: { type: "string", maxLength: 4 } }),
      { code: "not_found", message: "There is no such book.", status: 404 },
    ],
    [
      "a code of other letters in its enum",
      object({ error: object({ code: { enum: ["INVALID", "NOT_FOUND"] } }) }),
      { error: { code: "NOT_FOUND" } },
    ],
    [
      "an optional list that alone can hold the message",
      object({ detail: { type: "array", items: object({ loc: { type: "array", items: text }, msg: text }) } }),
      { detail: [{ loc: [], msg: "There is no such book." }] },
    ],
    ["one of several", { oneOf: [object({ message: text }), text] }, { message: "There is no such book." }],
    ["any value", {}, { code: "not_found", message: "There is no such book.", status: 404 }],
  ])("%s", (_, schema, body) => {
    expect(errorOf(documentOf(schema)).body).toEqual(body);
  });
});

test("problem details get the members that the schema does not name, unless it forbids others", () => {
  const schema = object({ type: { type: "string", format: "uri" }, title: text });
  const type = "application/problem+json";
  const body = { type: "about:blank", title: "Not Found" };
  expect(errorOf(documentOf(schema, type))).toEqual({
    status: 404,
    contentType: type,
    body: { ...body, status: 404, detail: "There is no such book.", code: "not_found" },
  });
  expect(errorOf(documentOf({ ...schema, additionalProperties: false }, type)).body).toEqual(body);
});

test("plain text is the message", () => {
  expect(errorOf(documentOf(text, "text/plain"))).toEqual({
    status: 404,
    contentType: "text/plain",
    body: "There is no such book.",
  });
});

test("a declared JSON sequence has no error of its own, because an error is one object", () => {
  const plain = { code: "not_found", message: "There is no such book.", status: 404 };
  for (const type of ["application/json-seq", "text/plain-x"])
    expect(errorOf(documentOf(object({ error: text }), type))).not.toHaveProperty("contentType", type);
  expect(errorOf(documentOf(object({ error: text }), "application/json-seq")).body).toEqual(plain);
  expect(errorOf(documentOf(object({ error: text }), "Application/JSON; charset=utf-8")).body).toHaveProperty("error");
});

test("an undeclared status, and an error of no operation, have the schema that most errors have", () => {
  const document = documentOf(object({ error: text }));
  const refused = new Problem(401, "unauthorized", "Sign in.");
  expect(errorOf(document, refused).body).toEqual({ error: "Sign in." });
  expect(errorOf(document, refused, undefined).body).toEqual({ error: "Sign in." });
});

test("an error of no operation has the schema that the operations of its path declare for its status, or of the document", () => {
  const content = (field: string) => ({
    description: "",
    content: { "application/json": { schema: object({ [field]: text }) } },
  });
  const responses = { 405: content("reason"), "4XX": content("message"), default: content("error") };
  const paths = {
    "/books": { get: { operationId: "listBooks", responses } },
    "/discs": { get: { operationId: "listDiscs", responses: { 404: content("detail") } } },
    "/films": { get: { operationId: "listFilms", responses: { 404: content("detail") } } },
  };
  const write = declaredErrors({ openapi: "3.1.1", paths });
  const bodyOf = (status: number, path?: string) =>
    write(new Problem(status, "x", "No."), { operationId: undefined, contentTypes: [], ...(path && { path }) }).body;
  expect(bodyOf(405, "/books")).toEqual({ reason: "No." });
  expect(bodyOf(405, "/discs")).toEqual({ detail: "No." });
  expect(bodyOf(404)).toEqual({ detail: "No." });
  expect(bodyOf(413)).toEqual({ message: "No." });
});

test("a document without errors has plain ones", () => {
  const responses = { 200: { description: "" } };
  const document = { openapi: "3.1.1", paths: { "/books": { get: { operationId: "listBooks", responses } } } };
  expect(errorOf(document).body).toEqual({ code: "not_found", message: "There is no such book.", status: 404 });
});

test("a schema is read at its first error alone, which its later errors do not pay for", () => {
  let looked = 0;
  const schema = {
    type: "object",
    get properties() {
      looked++;
      return { message: text };
    },
  };
  const write = declaredErrors(documentOf(schema));
  const bodyOf = (message: string) =>
    write(new Problem(404, "not_found", message), { operationId: "listBooks", contentTypes: [] }).body;
  expect(bodyOf("first")).toEqual({ message: "first" });
  const reads = looked;
  expect(bodyOf("second")).toEqual({ message: "second" });
  expect(looked).toBe(reads);
});

test("a field with a name that all objects inherit holds no fact", () => {
  expect(errorOf(documentOf(object({ constructor: text, message: text }))).body).toEqual({
    message: "There is no such book.",
  });
});

test("a recursive schema ends", () => {
  const node = {
    type: "object",
    required: ["error"],
    properties: { error: { $ref: "#/components/schemas/Node" }, message: text },
  };
  const document = { ...documentOf({ $ref: "#/components/schemas/Node" }), components: { schemas: { Node: node } } };
  expect(JSON.stringify(errorOf(document).body).length).toBeLessThan(500);
});

describe("the faults of a request are in the declared lists", () => {
  const faults = [
    { in: "query", parameter: "skip", pointer: "", code: "type", message: "Skip must be a number." },
    { in: "body", pointer: "/tags/0", code: "minLength", message: "A tag is empty." },
  ] as const;
  const invalid = new Problem(400, "invalid_request", "Skip must be a number.", {}, faults);
  const messages = faults.map(({ message }) => message);
  const list = (items: object) => ({ type: "array", items });
  const place = list({ anyOf: [text, { type: "integer" }] });

  test.each<[string, object, unknown]>([
    [
      "of FastAPI",
      object({ detail: list(object({ loc: place, msg: text, type: text }, { required: ["loc", "msg", "type"] })) }),
      {
        detail: [
          { loc: ["query", "skip"], msg: messages[0], type: "type" },
          { loc: ["body", "tags", 0], msg: messages[1], type: "minLength" },
        ],
      },
    ],
    [
      "of JSON:API",
      object({
        errors: list(object({ status: text, detail: text, source: object({ pointer: text, parameter: text }) })),
      }),
      {
        errors: [
          { status: "400", detail: messages[0], source: { parameter: "skip" } },
          { status: "400", detail: messages[1], source: { pointer: "/tags/0" } },
        ],
      },
    ],
    ["of texts", object({ message: text, errors: list(text) }), { message: messages[0], errors: messages }],
    [
      "by field",
      object({ errors: { type: "object", additionalProperties: list(text) } }),
      { errors: { skip: [messages[0]], "tags.0": [messages[1]] } },
    ],
    [
      "in an error",
      object({ error: object({ code: text, message: text, details: list(object({ field: text, rule: text })) }) }),
      {
        error: {
          code: "invalid_request",
          message: messages[0],
          details: [
            { field: "skip", rule: "type" },
            { field: "tags.0", rule: "minLength" },
          ],
        },
      },
    ],
  ])("%s", (_, schema, body) => {
    const document = documentOf(schema);
    expect(errorOf(document, invalid).body).toEqual(body);
  });

  test("of problem details", () => {
    const { body } = errorOf(documentOf(object({ title: text }), "application/problem+json"), invalid);
    expect(body).toMatchObject({ title: "Bad Request", errors: [{ in: "query" }, { pointer: "/tags/0" }] });
  });
});

test("an invalid request gets 422 if the operation declares it, and no response for 400", () => {
  const invalid = new Problem(400, "invalid_request", "Skip must be a number.");
  const statusOf = (...keys: string[]) => {
    const responses = Object.fromEntries(["200", ...keys].map((key) => [key, { description: "" }]));
    const document = { openapi: "3.1.1", paths: { "/books": { get: { operationId: "listBooks", responses } } } };
    return errorOf(document, invalid).status;
  };
  expect(statusOf("422")).toBe(422);
  for (const keys of [["422", "400"], ["422", "4XX"], ["422", "default"], ["4XX"], []])
    expect(statusOf(...keys)).toBe(400);
});

test("a service whose contract declares 422 alone passes its conformance checks", async () => {
  const schema = object({ detail: text });
  const responses = { 201: { description: "" }, 422: { description: "", content: { "application/json": { schema } } } };
  const requestBody = { content: { "application/json": { schema: object({ name: text }, { required: ["name"] }) } } };
  const document: OpenApiDocument = {
    openapi: "3.1.1",
    paths: {
      "/books": { post: { operationId: "createBook", requestBody: { required: true, ...requestBody }, responses } },
    },
  };
  const router = implement<Record<string, { responses: never }>>()({
    document,
    handlers: { createBook: () => ({ status: 201 }) as never },
    problemFormat: declaredErrors(document),
  });
  await using server = await listen(router);
  const checks = conformanceChecks(document).filter(({ title }) => title.startsWith("400 for "));
  expect(checks.length).toBeGreaterThan(2);
  for (const { run } of checks) await run({ baseUrl: server.baseUrl });
});

test("a field with a pattern gets a text that matches, once what finds texts is loaded", async () => {
  const trace = { type: "string", pattern: "^[0-9a-f]{8}$" };
  const write = declaredErrors(documentOf(object({ message: text, trace }, { required: ["trace"] })));
  const body = () => write(MISSING, { operationId: "listBooks", contentTypes: [] }).body;
  const found = { message: MISSING.message, trace: expect.stringMatching(/^[0-9a-f]{8}$/) as string };
  await expect.poll(body).toEqual(found);
});
