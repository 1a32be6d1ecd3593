import { describe, expect, test } from "vitest";
import { anyJson, serveEcho } from "./echo.ts";

const string = { type: "string" };
const integer = { type: "integer" };
const strings = { type: "array", items: string };
const integers = { type: "array", items: integer };
const point = { type: "object", properties: { x: integer, name: string }, additionalProperties: false };

type Answer = Record<string, unknown> | string;

/** A parameter called `p`, unless it has another name. */
interface Parameter {
  in: "path" | "query" | "header" | "cookie";
  [keyword: string]: unknown;
}

/** Sends a request to an operation with one parameter. Returns the parameters of its location, or the message. */
async function send(parameter: Parameter, sent: string): Promise<Answer> {
  const declared = { name: "p", required: parameter.in === "path", ...parameter };
  const path = declared.in === "path" ? "/x/{p}" : "/x";
  await using server = await serveEcho({
    [path]: { get: { operationId: "x", parameters: [declared], responses: anyJson } },
  });
  const headers = { ...(declared.in === "header" && { p: sent }), ...(declared.in === "cookie" && { Cookie: sent }) };
  const target = declared.in === "path" ? `/x/${sent}` : declared.in === "query" ? `/x?${sent}` : "/x";
  const response = await fetch(server.baseUrl + target, { headers });
  const body = (await response.json()) as Record<string, Answer>;
  const location = { path: "path", query: "query", header: "headers", cookie: "cookies" }[declared.in];
  return response.status === 200 ? body[location]! : (body["message"] as string);
}

/** The table of OpenAPI 3.1, "Style Examples", with more types. */
describe("a parameter in the style", () => {
  test.each<[title: string, parameter: Parameter, sent: string, expected: unknown]>([
    ["simple", { in: "path", schema: integer }, "5", 5],
    ["simple", { in: "path", schema: strings }, "blue,black", ["blue", "black"]],
    ["simple, with an encoded comma in an item", { in: "path", schema: strings }, "a%2Cb,c", ["a,b", "c"]],
    ["simple", { in: "path", schema: point }, "x,100,name,R", { x: 100, name: "R" }],
    ["simple, exploded", { in: "path", explode: true, schema: point }, "x=100,name=R", { x: 100, name: "R" }],
    ["label", { in: "path", style: "label", schema: integer }, ".5", 5],
    ["label", { in: "path", style: "label", schema: integers }, ".5,6", [5, 6]],
    ["label, exploded", { in: "path", style: "label", explode: true, schema: integers }, ".5.6", [5, 6]],
    ["label", { in: "path", style: "label", schema: point }, ".x,1,name,R", { x: 1, name: "R" }],
    [
      "label, exploded",
      { in: "path", style: "label", explode: true, schema: point },
      ".x=1.name=R",
      { x: 1, name: "R" },
    ],
    ["matrix", { in: "path", style: "matrix", schema: integer }, ";p=5", 5],
    ["matrix", { in: "path", style: "matrix", schema: integers }, ";p=5,6", [5, 6]],
    ["matrix, exploded", { in: "path", style: "matrix", explode: true, schema: integers }, ";p=5;p=6", [5, 6]],
    ["matrix", { in: "path", style: "matrix", schema: point }, ";p=x,1,name,R", { x: 1, name: "R" }],
    [
      "matrix, exploded",
      { in: "path", style: "matrix", explode: true, schema: point },
      ";x=1;name=R",
      { x: 1, name: "R" },
    ],
    ["form", { in: "query", schema: integer }, "p=5", 5],
    ["form", { in: "query", schema: integers }, "p=5&p=6", [5, 6]],
    ["form, with one item", { in: "query", schema: integers }, "p=5", [5]],
    ["form, with empty brackets", { in: "query", schema: integers }, "p[]=5&p%5B%5D=6", [5, 6]],
    ["form, with numbered brackets", { in: "query", schema: integers }, "p[1]=6&p[0]=5", [5, 6]],
    ["form, not exploded", { in: "query", explode: false, schema: integers }, "p=5,6", [5, 6]],
    [
      "form, not exploded, with an encoded comma between numbers",
      { in: "query", explode: false, schema: integers },
      "p=5%2C6",
      [5, 6],
    ],
    [
      "form, not exploded, with an encoded comma in an item",
      { in: "query", explode: false, schema: strings },
      "p=a%2Cb,c",
      ["a,b", "c"],
    ],
    ["form, not exploded", { in: "query", explode: false, schema: point }, "p=x,1,name,R", { x: 1, name: "R" }],
    ["form, exploded", { in: "query", schema: point }, "x=1&name=a+b", { x: 1, name: "a b" }],
    ["spaceDelimited", { in: "query", style: "spaceDelimited", schema: strings }, "p=a%20b+c", ["a", "b", "c"]],
    ["pipeDelimited", { in: "query", style: "pipeDelimited", schema: integers }, "p=1|2%7C3", [1, 2, 3]],
    ["deepObject", { in: "query", style: "deepObject", schema: point }, "p[x]=1&p[name]=R", { x: 1, name: "R" }],
    ["simple", { in: "header", schema: integers }, "5, 6", [5, 6]],
    ["simple, exploded", { in: "header", explode: true, schema: point }, "x=1,name=R", { x: 1, name: "R" }],
    ["form", { in: "cookie", schema: integer }, "p=5", 5],
    ["form", { in: "cookie", explode: false, schema: integers }, "p=5,6; other=1", [5, 6]],
    ["form, with an encoded space", { in: "cookie", schema: string }, "p=a%20b", "a b"],
  ])("%s: %j %s", async (_title, parameter, sent, expected) => {
    expect(await send(parameter, sent)).toEqual({ p: expected });
  });

  test.each<[parameter: Parameter, sent: string, fault: string]>([
    [{ in: "path", style: "label", schema: integer }, "5", "must begin with a dot"],
    [{ in: "path", style: "matrix", schema: integer }, "5", "must be written as ;p=value"],
    [{ in: "path", style: "matrix", schema: integers }, ";p=5;q=6", "must be written as ;p=value"],
    [{ in: "path", style: "matrix", schema: integer }, ";p=5;p=6", "must be written as ;p=value"],
    [{ in: "path", style: "matrix", explode: true, schema: point }, "x=1", "must be written as ;field=value"],
    [{ in: "path", schema: point }, "x,1,name", "must contain the names and values of its fields in turn"],
    [{ in: "path", explode: true, schema: point }, "x=1,name", "must contain its fields as field=value"],
    [{ in: "path", schema: point }, "x,1,x,2", "contains a field twice. Give it once"],
    [
      { in: "header", content: { "application/json": { schema: {} } } },
      "{",
      "is not valid JSON. Check its quotation marks, commas and brackets",
    ],
  ])("%j rejects %s", async (parameter, sent, fault) => {
    expect(await send(parameter, sent)).toMatch(new RegExp(`^(Path parameter|Header) "p" ${fault}\\.$`));
  });
});

test("a text is not a list of lists, even if these are recursive", async () => {
  const lists = { $anchor: "lists", type: "array", items: { anyOf: [integer, { $ref: "#lists" }] } };
  expect(await send({ in: "query", schema: lists }, "p=[[5]]")).toEqual({ p: [[5]] });
  expect(await send({ in: "query", schema: lists }, "p=5")).toEqual({ p: [5] });
  expect(await send({ in: "query", schema: lists }, "p=x")).toMatch(/^Item 1 of query parameter "p" must be/);
});

test.each([
  "9007199254740993",
  "9007199254740993.0",
  "-12345678901234567891",
  "1.00000000000000000001",
  "1".repeat(400),
])("a number that would become a wrong integer is rejected: %s", async (digits) => {
  const schema = { type: "number" };
  const fault = 'Query parameter "p" is a number that cannot be represented exactly. Send one with fewer digits.';
  expect(await send({ in: "query", schema }, `p=${digits}`)).toBe(fault);
  const content = { "application/x-www-form-urlencoded": { schema: { type: "object", properties: { p: schema } } } };
  const post = { operationId: "x", requestBody: { content }, responses: anyJson };
  await using server = await serveEcho({ "/x": { post } });
  const response = await fetch(`${server.baseUrl}/x`, { method: "POST", body: new URLSearchParams({ p: digits }) });
  const { message } = (await response.json()) as { message: string };
  expect(message).toBe('Body field "p" must be a number that can be represented exactly. Send one with fewer digits.');
});

test("fractions are rounded, and integers of a double are kept", async () => {
  const numbers = { in: "query", schema: { type: "array", items: { type: "number" } } } as const;
  const sent = "p=0.12345678901234567891&p=-9007199254740994&p=100000000000000000000";
  expect(await send(numbers, sent)).toEqual({ p: [0.12345678901234568, -9007199254740994, 1e20] });
});

test("an object in brackets is not read from a list of names and values", async () => {
  const deep = { in: "query", style: "deepObject", schema: point } as const;
  expect(await send(deep, "p=x,1")).toBe('Query parameter "p" must be an object.');
});

describe("a text becomes a value of its declared type:", () => {
  const either = { oneOf: [integer, string] };
  test.each<[schema: object, sent: string, expected: unknown]>([
    [either, "12", 12],
    [either, "007", "007"],
    [either, "1e3", "1e3"],
    [either, "-0", "-0"],
    [either, "12345678901234567890", "12345678901234567890"],
    [{ type: ["number", "string"] }, "1.50", "1.50"],
    [{ type: ["number", "null"] }, "1.50", 1.5],
    [{ anyOf: [{ type: "boolean" }, { enum: ["auto"] }] }, "true", true],
    [{ anyOf: [{ type: "boolean" }, { enum: ["auto"] }] }, "auto", "auto"],
    [{ enum: [1, 2] }, "2", 2],
    [{ type: ["integer", "string"], enum: ["5", 6] }, "5", "5"],
    [{ type: ["integer", "string"], enum: ["5", 6] }, "6", 6],
    [{ anyOf: [integer, { const: "5" }, string] }, "5", "5"],
    [{ type: "array", items: { anyOf: [integer, { type: "string", enum: ["5"] }] } }, "5&p=6", ["5", 6]],
    [{ type: "array", prefixItems: [integer, string], items: integer }, "5&p=7&p=9", [5, "7", 9]],
    [{ type: "array", prefixItems: [string, integer] }, "5", ["5"]],
    [{ const: true }, "true", true],
    [{ allOf: [{ minimum: 1 }, integer] }, "2", 2],
    [{ oneOf: [integer, integers] }, "2", 2],
    [{}, "2", "2"],
    [string, "a:/?@!$'()*,;=b", "a:/?@!$'()*,;=b"],
  ])("%j %s", async (schema, sent, expected) => {
    expect(await send({ in: "query", schema }, `p=${sent}`)).toEqual({ p: expected });
  });

  test("which is a string if an enum lists it: in a path, a header and a cookie", async () => {
    const schema = { type: ["integer", "string"], enum: ["5", 6] };
    for (const place of ["path", "header", "cookie"] as const)
      expect(await send({ in: place, schema }, place === "cookie" ? "p=5" : "5")).toMatchObject({ p: "5" });
  });

  test.each<[schema: object, sent: string, expected: Answer]>([
    [{ type: "boolean" }, "p", { p: true }],
    [string, "p=", { p: "" }],
    [integer, "p=", {}],
  ])("%j of an empty parameter with allowEmptyValue", async (schema, sent, expected) => {
    expect(await send({ in: "query", schema, allowEmptyValue: true }, sent)).toEqual(expected);
  });

  test("an empty parameter without allowEmptyValue is rejected", async () => {
    expect(await send({ in: "query", schema: string }, "p=")).toBe(
      'Query parameter "p" is empty. Give it a value, or leave it out.',
    );
  });

  test("a required exploded object without fields is empty", async () => {
    expect(await send({ in: "query", schema: point, required: true }, "")).toEqual({ p: {} });
  });

  test("a field that has the name of its exploded object belongs to the object", async () => {
    const schema = { type: "object", properties: { p: integer } };
    expect(await send({ in: "query", schema }, "p=1")).toEqual({ p: { p: 1 } });
  });

  test("a parameter whose declared name has brackets is read by that name", async () => {
    expect(await send({ in: "query", name: "p[]", schema: integers }, "p[]=1")).toEqual({ "p[]": [1] });
  });
});

describe("a form", () => {
  const fields = {
    type: "object",
    required: ["name"],
    properties: {
      name: string,
      age: integer,
      isTame: { type: "boolean" },
      tags: strings,
      owner: { type: "object", properties: { age: integer, city: string } },
      sizes: { type: "array", items: point },
      either: { anyOf: [{ type: "object", additionalProperties: integer }, { enum: [""] }] },
    },
    additionalProperties: false,
  };

  async function post(type: string, body: string | FormData, media: object = { schema: fields }) {
    const requestBody = { required: true, content: { [type]: media } };
    await using server = await serveEcho({ "/x": { post: { operationId: "x", requestBody, responses: anyJson } } });
    const headers = typeof body === "string" ? { "Content-Type": type } : {};
    const response = await fetch(`${server.baseUrl}/x`, { method: "POST", body, headers });
    const answer = (await response.json()) as { body?: unknown; message?: string; files: unknown[] };
    return response.status === 200 ? answer.body : answer.message;
  }
  const urlencoded = "application/x-www-form-urlencoded";

  test.each<[sent: string, expected: object]>([
    ["name=a+b%2Bc&age=5&isTame=true", { name: "a b+c", age: 5, isTame: true }],
    ["name=a&tags=x", { name: "a", tags: ["x"] }],
    ["name=a&tags=x&tags=y", { name: "a", tags: ["x", "y"] }],
    ["name=a&tags[]=x", { name: "a", tags: ["x"] }],
    ["name=a&owner[age]=5", { name: "a", owner: { age: 5 } }],
    ["name=a&owner=%7B%22age%22%3A5%7D", { name: "a", owner: { age: 5 } }],
    ["name=a&sizes[0][x]=1&sizes[1][x]=2", { name: "a", sizes: [{ x: 1 }, { x: 2 }] }],
    ["name=a&either=", { name: "a", either: "" }],
    ["name=a&either[b]=1", { name: "a", either: { b: 1 } }],
    ["name=", { name: "" }],
    ["name=a&tags=", { name: "a", tags: [""] }],
  ])("%s", async (sent, expected) => {
    expect(await post(urlencoded, sent)).toEqual(expected);
  });

  test.each([
    ["age=5", 'Body field "name" is required.'],
    ["name=a&age=x", 'Body field "age" must be an integer.'],
    ["name=a&name=b", 'Body field "name" must be a string.'],
    ["name=a&other=1", expect.stringMatching(/^Body field "other" is not known\./)],
    ["name=a&owner=1&owner[age]=1", 'Body field "owner" is given both as a whole and in parts. Give it once.'],
    ["name=%", "The request body is not valid percent-encoding. Write a percent sign itself as %25."],
    [
      `name=a&owner=${encodeURIComponent('{"age":1,"age":2}')}`,
      'Body field "owner" contains field "age" twice. Give it once.',
    ],
    ["name=a&owner=age,5", 'Body field "owner" must be an object.'],
    [`name=a&owner=${encodeURIComponent('{"age":1,}')}`, 'Body field "owner" must be an object.'],
  ])("%s is rejected", async (sent, message) => {
    expect(await post(urlencoded, sent)).toEqual(message);
  });

  test("has the styles of its encoding", async () => {
    const encoding = { tags: { explode: false }, owner: { style: "form", explode: true } };
    expect(await post(urlencoded, "name=a&tags=x,y&city=Ulm", { schema: fields, encoding })).toEqual({
      name: "a",
      tags: ["x", "y"],
      owner: { city: "Ulm" },
    });
  });

  test("has typed undeclared fields", async () => {
    const schema = { type: "object", additionalProperties: integer };
    expect(await post(urlencoded, "a=1&b=2", { schema })).toEqual({ a: 1, b: 2 });
  });

  test("in parts has typed fields, and JSON in a part that is a file", async () => {
    const form = new FormData();
    form.set("name", "a+b%");
    form.set("age", "5");
    form.append("tags", "x");
    form.set("owner", new Blob(['{"age":5}'], { type: "application/json" }));
    expect(await post("multipart/form-data", form)).toEqual({ name: "a+b%", age: 5, tags: ["x"], owner: { age: 5 } });
  });
});

describe("a body of text", () => {
  async function post(type: string, schema: object, body: string) {
    const requestBody = { content: { [type]: { schema } } };
    await using server = await serveEcho({ "/x": { post: { operationId: "x", requestBody, responses: anyJson } } });
    const response = await fetch(`${server.baseUrl}/x`, { method: "POST", body, headers: { "Content-Type": type } });
    return [response.status, ((await response.json()) as { body?: unknown }).body];
  }

  test.each(["text/csv", "application/xml", "image/svg+xml", "application/x-yaml"])("%s is a string", async (type) => {
    expect(await post(type, { type: "string", maxLength: 3 }, "abc")).toEqual([200, "abc"]);
    expect(await post(type, { type: "string", maxLength: 3 }, "abcd")).toEqual([400, undefined]);
  });

  test("is not validated by the schema of what it represents", async () => {
    expect(await post("application/xml", { type: "object", required: ["a"] }, "<a/>")).toEqual([200, "<a/>"]);
  });

  test("application/*+json takes each media type with this suffix", async () => {
    const requestBody = { content: { "application/*+json": { schema: { type: "object" } } } };
    await using server = await serveEcho({ "/x": { post: { operationId: "x", requestBody, responses: anyJson } } });
    const statusOf = async (type: string) => {
      const headers = { "Content-Type": type };
      return (await fetch(`${server.baseUrl}/x`, { method: "POST", body: "{}", headers })).status;
    };
    expect([
      await statusOf("application/a+json"),
      await statusOf("application/xml"),
      await statusOf("text/a+json"),
    ]).toEqual([200, 415, 415]);
  });

  test("text/json is JSON", async () => {
    expect(await post("text/json", { type: "object" }, '{"a":1}')).toEqual([200, { a: 1 }]);
  });
});
