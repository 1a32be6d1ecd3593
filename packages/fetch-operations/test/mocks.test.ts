import { describe, expect, test } from "vitest";
import { responseOf } from "../src/testing/mock-response.ts";
import { contractOf, ContractViolation, type OperationContract } from "../src/testing/contract.ts";
import { readRequest } from "../src/testing/request.ts";
import { schemaValidator, valueOf } from "../src/testing/schema.ts";
import { read } from "./shop.ts";

const shop = contractOf({ openapi: "3.1.1" }, new Map());

const json = (schema: object, ...values: unknown[]) => ({
  "application/json": { schema, examples: Object.fromEntries(values.map((value, at) => [`e${at}`, { value }])) },
});
const error = (status: number) => ({ code: `c${status}`, status });

/** An operation with more kinds of responses than the contract has. */
const operation = {
  id: "read",
  responses: {
    200: {
      description: "",
      content: json({ type: "integer" }, 1, 2),
      headers: {
        "X-Count": { required: true, schema: { type: "integer" }, examples: { one: { value: 3 } } },
        "X-Page": { schema: { type: "integer", maximum: 9 } },
        "X-Last": { schema: { type: "boolean" } },
      },
    },
    201: { description: "", content: json({ type: "object", additionalProperties: false }) },
    203: { description: "", content: json({ type: "string", pattern: "^[A-Z]{3}$" }) },
    204: { description: "" },
    206: { description: "", content: { "text/event-stream": {} } },
    "3XX": { description: "", content: json({}, "moved") },
    "4XX": { description: "", content: json({}, error(404), error(409), { ...error(409), code: "other" }) },
    default: { description: "", content: json({}, error(500)) },
  },
} as unknown as OperationContract;

test.each<[text: string, schema: object | undefined, value: unknown]>([
  ["5", { type: "integer" }, 5],
  ["-0.5", { type: "number" }, -0.5],
  ["10", { $ref: "#/components/schemas/Count" }, 10],
  ["0", { type: "integer" }, 0],
  ["05", { type: "integer" }, "05"],
  ["5.", { type: "number" }, "5."],
  ["a5", { type: "integer" }, "a5"],
  ["5a", { type: "integer" }, "5a"],
  ["1e1", { type: "number" }, "1e1"],
  ["5", { type: "string" }, "5"],
  ["5", undefined, "5"],
  ["5", {}, "5"],
  ["true", { type: "boolean" }, true],
  ["false", { type: "boolean" }, false],
  ["no", { type: "boolean" }, "no"],
  ["true", { type: "string" }, "true"],
])("the text %j of a parameter of %j is %j", (text, schema, value) => {
  const document = { openapi: "3.1.1", components: { schemas: { Count: { type: "integer" } } } };
  expect(valueOf(document, text, schema as never)).toBe(value);
});

test.each([
  ["3.0.4", { type: "integer", minimum: 5, exclusiveMinimum: true }, 5, false],
  ["3.1.1", { type: "integer", exclusiveMinimum: 5 }, 5, false],
  ["3.1.1", { $ref: "#/components/schemas/Count" }, 6, true],
])("a document of OpenAPI %s has its own JSON Schema: %j accepts %s: %s", (openapi, schema, value, isValid) => {
  const validate = schemaValidator({ openapi, components: { schemas: { Count: { type: "integer" } } } });
  for (let time = 0; time < 2; time++) expect(validate(value, schema as never, "/x") === undefined).toBe(isValid);
  expect(validate(value, undefined, "/x")).toBeUndefined();
});

describe("a mocked response", () => {
  test.each<[answer: Parameters<typeof responseOf>[2], body: unknown, headers: Record<string, string>]>([
    [{ status: 200 }, 1, { "content-type": "application/json", "x-count": "3" }],
    [{ status: 200, body: 7 }, 7, { "content-type": "application/json", "x-count": "3" }],
    [
      { status: 200, headers: { "X-Count": "5", "X-Page": "9", "X-Last": "true", "X-Other": "o" } },
      1,
      { "content-type": "application/json", "x-count": "5", "x-page": "9", "x-last": "true", "x-other": "o" },
    ],
    [{ status: 201 }, {}, { "content-type": "application/json" }],
    [{ status: 204 }, undefined, {}],
    [{ status: 302 }, "moved", { "content-type": "application/json" }],
    [{ status: 409 }, error(409), { "content-type": "application/json" }],
    [{ status: 422 }, { ...error(404), status: 422 }, { "content-type": "application/json" }],
    [{ status: 503 }, { ...error(500), status: 503 }, { "content-type": "application/json" }],
    [{ status: 599, body: null }, null, { "content-type": "application/json" }],
  ])("%j has the body %j and the headers %j", async (answer, body, headers) => {
    const response = responseOf(shop, operation, answer);
    const text = await response.text();
    expect(response.status).toBe(answer.status);
    expect(text === "" ? undefined : JSON.parse(text)).toEqual(body);
    expect(Object.fromEntries(response.headers)).toEqual(headers);
  });

  const at = (pointer: string, message: string) => ({ pointer, message });
  test.each([
    [{ status: 202 }, at("/status", "The contract does not declare this status.")],
    [{ status: 299 }, at("/status", "The contract does not declare this status.")],
    [{ status: 600 }, at("/status", "The contract does not declare this status.")],
    [{ status: 500.5 }, at("/status", "The contract does not declare this status.")],
    [{ status: 204, body: 1 }, at("/body", "The contract declares no body. Leave it out.")],
    [{ status: 203 }, at("/body", 'The document gives no example for the response 203 of "read": add one.')],
    [{ status: 206 }, at("/body", "The body is missing, and the contract has no example of it. Add a body.")],
    [{ status: 201, body: { a: 1 } }, at("/body/a", "The contract has no such field.")],
    [{ status: 200, body: "x" }, at("/body", expect.stringContaining("integer") as string)],
    [
      { status: 200, headers: { "X-Count": "x" } },
      at("/headers/X-Count", expect.stringContaining("integer") as string),
    ],
    [{ status: 200, headers: { "X-Page": "10" } }, at("/headers/X-Page", expect.any(String) as string)],
    [{ status: 200, headers: { "X-Page": "1e0" } }, at("/headers/X-Page", expect.any(String) as string)],
    [{ status: 200, headers: { "X-Last": "yes" } }, at("/headers/X-Last", expect.any(String) as string)],
  ])("%j breaks the contract: %j", (answer, { pointer, message }) => {
    let thrown: unknown;
    try {
      responseOf(shop, operation, answer);
    } catch (caught) {
      thrown = caught;
    }
    expect(thrown).toBeInstanceOf(ContractViolation);
    const { message: text, ...facts } = thrown as ContractViolation;
    expect(facts).toMatchObject({ operationId: "read", pointer });
    const [, reason] = text.split(`read: the mocked response ${answer.status} breaks the contract at ${pointer}: `);
    expect(reason).toEqual(message);
  });
});

describe("the fields of one direction", () => {
  const pet = {
    type: "object",
    required: ["id", "name", "pw"],
    properties: {
      id: { type: "integer", readOnly: true },
      name: { type: "string" },
      pw: { type: "string", writeOnly: true },
      pups: { type: "array", items: { $ref: "#/components/schemas/Pet" } },
    },
  };
  const example = { id: 1, name: "Rex", pw: "s", pups: [{ id: 2, name: "Bo", pw: "t" }] };
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Pet" }, example } };
  const responses = { 201: { description: "", content } };
  const post = { operationId: "addPet", requestBody: { required: true, content }, responses };
  const document = { openapi: "3.1.1", paths: { "/pets": { post } }, components: { schemas: { Pet: pet } } };
  const contract = contractOf(document, new Map([["addPet", "addPet"]]));
  const [addPet] = contract.operations as [OperationContract];
  const send = (body: object) =>
    readRequest(
      contract,
      addPet,
      new Request("https://a.example/pets", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      }),
    );

  test("a request has no readOnly fields", async () => {
    const body = { name: "Rex", pw: "s", pups: [{ name: "Bo", pw: "t" }] };
    expect(await send(body)).toMatchObject({ body });
    await expect(send({ ...body, id: 1 })).rejects.toThrow("at /body/id: The contract has no such field.");
    await expect(send({ ...body, pups: [{ id: 2, name: "Bo", pw: "t" }] })).rejects.toThrow("at /body/pups/0/id:");
    await expect(send({ name: "Rex" })).rejects.toThrow('"pw"');
  });

  test("a response has no writeOnly fields, and neither has its example", async () => {
    const body = { id: 1, name: "Rex", pups: [{ id: 2, name: "Bo" }] };
    expect(await responseOf(contract, addPet, { status: 201, body }).json()).toEqual(body);
    expect(await responseOf(contract, addPet, { status: 201 }).json()).toEqual(body);
    expect(() => responseOf(contract, addPet, { status: 201, body: { ...body, pw: "s" } })).toThrow("at /body/pw:");
    expect(() => responseOf(contract, addPet, { status: 201, body: { name: "Rex" } })).toThrow('"id"');
  });
});

describe("readRequest", () => {
  const schema = { type: "integer" };
  const contract = {
    ...read,
    path: /\/a\/([^/]+)\/([^/]+)$/,
    pathParameters: ["first", "second"],
    parameters: [
      { name: "second", in: "path", required: true, schema },
      { name: "first", in: "path", required: true, schema: {} },
      { name: "X-Zone", in: "header", required: true, schema },
    ],
    requestBody: { content: { "application/json": { schema } } },
    security: [[{ type: "http", scheme: "bearer" }]],
  } as unknown as OperationContract;
  const headers = { Authorization: "Bearer k", "X-Zone": "5" };
  const ask = async (given: Record<string, string>, body?: string, more: object = {}, path = "/a/x%20y/2") => {
    const request = new Request(`http://x${path}`, {
      method: "POST",
      headers: given,
      ...(body !== undefined && { body }),
    });
    return await readRequest(shop, { ...contract, ...more }, request).catch(
      (violation: ContractViolation) => `${violation.pointer}: ${violation.message}`,
    );
  };

  test("returns each value in its place", async () => {
    const withType = { ...headers, "Content-Type": "APPLICATION/JSON ; charset=utf-8" };
    expect(await ask(withType, "7")).toMatchObject({
      operationId: "getPet",
      path: { first: "x y", second: 2 },
      query: {},
      body: 7,
    });
    expect(await ask({ ...headers, Authorization: "bearer k" })).toMatchObject({ body: undefined });
    expect(await ask({ "X-Zone": "5" }, undefined, { security: [] })).toMatchObject({ body: undefined });
    expect(await ask(headers, "", { requestBody: undefined })).toMatchObject({ body: undefined });
  });

  test.each<[given: Record<string, string>, body: string | undefined, more: object, violation: RegExp]>([
    [
      { "X-Zone": "5" },
      undefined,
      {},
      /^\/headers\/Authorization: .*The API key is missing\. Send it as a bearer token\.$/,
    ],
    [{ ...headers, Authorization: "x Bearer k" }, undefined, {}, /^\/headers\/Authorization/],
    [{ ...headers, Authorization: "Bearer a b" }, undefined, {}, /^\/headers\/Authorization/],
    [{ Authorization: "Bearer k" }, undefined, {}, /^\/headers\/X-Zone: .*The required parameter is missing\.$/],
    [{ ...headers, "X-Zone": "x" }, undefined, {}, /^\/headers\/X-Zone/],
    [headers, "7", {}, /^\/headers\/Content-Type: .*The content type is text\/plain\. Send application\/json\.$/],
    [{ ...headers, "Content-Type": "application/json" }, "x", {}, /^\/body: .*The body is not JSON: /],
    [{ ...headers, "Content-Type": "application/json" }, '"x"', {}, /^\/body: /],
    [
      headers,
      undefined,
      { requestBody: { required: true, content: {} } },
      /^\/headers\/Content-Type: .*The content type is none\./,
    ],
  ])("throws for the headers %j and the body %j", async (given, body, more, violation) => {
    expect(await ask(given, body, more)).toMatch(violation);
  });
});
