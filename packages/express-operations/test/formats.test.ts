import { describe, expect, test } from "vitest";
import { implement } from "../src/index.ts";
import { listen } from "./listen.ts";

/** A decimal number with its digits. */
class Decimal {
  readonly text: string;
  constructor(text: string) {
    if (!/^-?\d+(?:\.\d+)?$/.test(text)) throw new Error("internal: no decimal");
    this.text = text;
  }
  toJSON(): string {
    throw new Error("written by toJSON");
  }
}

/** An identifier of twelve bytes, as MongoDB has it. */
class ObjectId {
  readonly bytes: Buffer;
  constructor(text: string) {
    this.bytes = Buffer.from(text, "hex");
  }
}

const formats = {
  "date-time": { parse: (text: string) => new Date(text), serialize: (date: Date) => date.toISOString() },
  decimal: { parse: (text: string) => new Decimal(text), serialize: ({ text }: Decimal) => text },
  "object-id": {
    check: (text: string) => /^[\da-f]{24}$/.test(text),
    parse: (text: string) => new ObjectId(text),
    serialize: ({ bytes }: ObjectId) => bytes.toString("hex"),
  },
  int64: { parse: BigInt },
};

const dateTime = { type: "string", format: "date-time" };
const decimal = { type: "string", format: "decimal" };
const amount = { type: "number", format: "decimal" };
const objectId = { type: "string", format: "object-id" };
const int64 = { type: "integer", format: "int64" };

const all = { dateTime, decimal, amount, objectId, int64 };

type Received = Record<"path" | "query" | "headers" | "cookies", Record<string, unknown>> & { body: any };
type Responding = (input: Received) => unknown;
type Options = Partial<Parameters<ReturnType<typeof implement>>[0]>;

/** Serves one operation at `/x`, or `/x/{id}`, with the formats. */
function serve(operation: object, handler: Responding, options: object = { formats: usedIn(operation) }, path = "/x") {
  const responses = { 200: { description: "", content: { "application/json": { schema: {} } } } };
  const document = { openapi: "3.1.0", paths: { [path]: { post: { operationId: "x", responses, ...operation } } } };
  return listen(implement()({ document, handlers: { x: handler } as never, ...(options as Options) }));
}

/** The formats that an operation has: others are faults of the options. */
function usedIn(operation: object): object {
  const text = JSON.stringify(operation);
  return Object.fromEntries(Object.entries(formats).filter(([name]) => text.includes(`"format":"${name}"`)));
}

const jsonOf = (schema: object) => ({ content: { "application/json": { schema } } });
const ok = (schema: object) => ({ 200: { description: "", ...jsonOf(schema) } });

async function post(url: string, body?: string) {
  const headers: Record<string, string> = body === undefined ? {} : { "Content-Type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, ...(body !== undefined && { body }) });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** Serves an operation that returns its body, and returns what the handler has received and what the client receives. */
async function roundTrip(schema: object, body: string, options?: object) {
  let received: any;
  const operation = { requestBody: { required: true, ...jsonOf(schema) }, responses: ok(schema) };
  const handler = ({ body: own }: Received) => ({ status: 200, body: (received = own) });
  await using server = await serve(operation, handler, options);
  return { ...(await post(`${server.baseUrl}/x`, body)), received };
}

const BIG = "9007199254740993";
const ID = "0123456789abcdef01234567";
const AT = "2026-01-02T03:04:05.000Z";

describe("formats", () => {
  test.each([
    [dateTime, `"${AT}"`, new Date(AT)],
    [decimal, `"10.10"`, new Decimal("10.10")],
    [objectId, `"${ID}"`, new ObjectId(ID)],
    [int64, BIG, BigInt(BIG)],
    [int64, "-9223372036854775808", -(2n ** 63n)],
    [int64, "5", 5n],
    [amount, "0.1234567890123456789012", new Decimal("0.1234567890123456789012")],
  ])("convert a value of %j in arrays, maps, tuples, compositions and choices", async (schema, json, value) => {
    const nullable = { ...schema, type: [schema.type, "null"] };
    const holders: [schema: object, body: string, pick: (body: any) => unknown][] = [
      [{ type: "object", properties: { a: schema } }, `{"a":${json}}`, ({ a }) => a],
      [{ type: "array", items: { type: "array", items: schema } }, `[[${json}]]`, ([[a]]) => a],
      [{ type: "array", prefixItems: [{ type: "string" }, schema] }, `["",${json}]`, ([, a]) => a],
      [{ type: "object", additionalProperties: schema }, `{"any":${json}}`, ({ any }) => any],
      [{ type: "object", patternProperties: { "^x": schema } }, `{"xa":${json}}`, ({ xa }) => xa],
      [{ type: "object", properties: { a: nullable, b: nullable } }, `{"a":${json},"b":null}`, ({ a }) => a],
      [{ type: "object", properties: { a: { oneOf: [{ type: "boolean" }, schema] } } }, `{"a":${json}}`, ({ a }) => a],
      [{ allOf: [{ type: "object", properties: { a: schema } }] }, `{"a":${json}}`, ({ a }) => a],
      [
        {
          oneOf: [
            { type: "object", required: ["a"], properties: { a: schema } },
            { type: "object", required: ["b"], properties: { b: schema } },
          ],
        },
        `{"b":${json}}`,
        ({ b }) => b,
      ],
    ];
    for (const [holder, body, pick] of holders) {
      const { status, text, received } = await roundTrip(holder, body);
      expect({ status, text }).toEqual({ status: 200, text: body });
      expect(pick(received)).toEqual(value);
    }
  });

  test("convert a body that is a value itself", async () => {
    const { text, received } = await roundTrip(dateTime, `"${AT}"`);
    expect(received).toEqual(new Date(AT));
    expect(text).toBe(`"${AT}"`);
  });

  test("convert recursive components", async () => {
    const node = { type: "object", properties: { at: dateTime, next: { $ref: "#/components/schemas/Node" } } };
    const operation = {
      requestBody: jsonOf({ $ref: "#/components/schemas/Node" }),
      responses: ok({ $ref: "#/components/schemas/Node" }),
    };
    let received: any;
    const document = {
      openapi: "3.1.0",
      paths: { "/x": { post: { operationId: "x", ...operation } } },
      components: { schemas: { Node: node } },
    };
    const x = ({ body }: Received) => ({ status: 200, body: (received = body) });
    await using server = await listen(
      implement()({ document, handlers: { x } as never, formats: { "date-time": formats["date-time"] } }),
    );
    const body = `{"at":"${AT}","next":{"at":"${AT}"}}`;
    expect((await post(`${server.baseUrl}/x`, body)).text).toBe(body);
    expect(received.next.at).toEqual(new Date(AT));
  });

  test("convert parameters of each location, lists and objects of them, and defaults", async () => {
    let received: any;
    const list = { type: "array", items: int64 };
    const operation = {
      parameters: [
        { in: "path", name: "id", required: true, schema: int64 },
        { in: "query", name: "at", schema: dateTime },
        { in: "query", name: "ids", schema: list },
        { in: "query", name: "one", schema: list },
        { in: "query", name: "filter", style: "deepObject", schema: { type: "object", properties: { min: int64 } } },
        { in: "query", name: "late", schema: { ...dateTime, default: AT } },
        { in: "query", name: "limit", schema: { ...int64, default: 20 } },
        { in: "query", name: "count", schema: { type: "integer" } },
        { in: "header", name: "X-Id", schema: objectId },
        { in: "cookie", name: "c", schema: decimal },
      ],
    };
    const handler = (input: Received) => ((received = input), { status: 200, body: {} });
    await using server = await serve(operation, handler, undefined, "/x/{id}");
    const query = `at=${AT}&ids=1&ids=${BIG}&one=${BIG}&filter[min]=-${BIG}&count=1`;
    const headers = { "X-Id": ID, Cookie: "c=1.50" };
    const { status } = await fetch(`${server.baseUrl}/x/${BIG}?${query}`, { method: "POST", headers });
    expect(status).toBe(200);
    expect(received.path).toEqual({ id: BigInt(BIG) });
    expect(received.query).toEqual({
      at: new Date(AT),
      ids: [1n, BigInt(BIG)],
      one: [BigInt(BIG)],
      filter: { min: -BigInt(BIG) },
      late: new Date(AT),
      limit: 20n,
      count: 1,
    });
    expect(received.headers).toEqual({ "X-Id": new ObjectId(ID) });
    expect(received.cookies).toEqual({ c: new Decimal("1.50") });
  });

  test("leave a value of a choice unchanged that is not valid in the format", async () => {
    const until = { oneOf: [dateTime, { type: "string", enum: ["never"] }] };
    const schema = { type: "array", items: until };
    const { text, received } = await roundTrip(schema, `["never","${AT}"]`);
    expect(received).toEqual(["never", new Date(AT)]);
    expect(text).toBe(`["never","${AT}"]`);
  });

  test.each([
    [int64, "9223372036854775808", /"a" must be an integer from -9223372036854775808 to 9223372036854775807\./],
    [{ ...int64, maximum: 5 }, BIG, /"a" must be at most 5/],
    [decimal, `"ten"`, /"a" must be a valid decimal\./],
    [objectId, `"no"`, /"a" must be a valid object-id\./],
    [dateTime, `"2026-02-30T00:00:00Z"`, /"a" must be/],
  ])("a value that %j does not allow gets a 400 with its field", async (schema, json, message) => {
    const { status, text } = await roundTrip({ type: "object", properties: { a: schema } }, `{"a":${json}}`);
    expect(status).toBe(400);
    expect(JSON.parse(text).message.replaceAll("\\", "")).toMatch(message);
    expect(text).not.toContain("internal");
  });

  test("a parameter that cannot be converted gets a 400 with its name", async () => {
    const operation = { parameters: [{ in: "query", name: "price", schema: decimal }] };
    await using server = await serve(operation, () => ({ status: 200, body: {} }));
    const { status, text } = await post(`${server.baseUrl}/x?price=x`);
    expect(status).toBe(400);
    expect(text).toContain('Query parameter \\"price\\" must be a valid decimal.');
  });

  test("a large number of another field is still rejected", async () => {
    const schema = { type: "object", properties: { a: int64, b: { type: "integer" } } };
    const { status, text } = await roundTrip(schema, `{"a":${BIG},"b":${BIG}}`);
    expect(status).toBe(400);
    expect(text).toContain('\\"b\\" must be a number that can be represented exactly');
  });

  test("large numbers are rejected without a format that converts them", async () => {
    expect((await roundTrip({ type: "object", properties: { a: int64 } }, `{"a":${BIG}}`, {})).status).toBe(400);
  });

  test.each([
    ["throws", dateTime, "now"],
    ["is not valid in the format", objectId, { bytes: Buffer.from("00", "hex") }],
    ["is too large", int64, 2n ** 63n],
  ])("a value of a response whose conversion %s is an error that names its place", async (_, schema, value) => {
    const operation = { responses: ok({ type: "object", properties: { a: schema } }) };
    await using server = await serve(operation, () => ({ status: 200, body: { a: value } }));
    const { status, text } = await post(`${server.baseUrl}/x`);
    expect(status).toBe(500);
    expect(text).toContain("The value of /a of the response cannot be written in the format");
  });

  test("headers of responses are converted", async () => {
    const headers = { "X-At": { schema: dateTime }, "X-Id": { schema: int64 } };
    const responses = { 200: { description: "", headers, ...jsonOf({}) } };
    const returned = { status: 200, headers: { "X-At": new Date(AT), "X-Id": BigInt(BIG) }, body: {} };
    await using server = await serve({ responses }, () => returned);
    const { headers: sent } = await post(`${server.baseUrl}/x`);
    expect([sent.get("X-At"), sent.get("X-Id")]).toEqual([AT, BIG]);
  });

  test.each(["application/jsonl", "text/event-stream"])("items of %s are converted", async (type) => {
    const schema = { type: "object", properties: { at: dateTime, id: int64 } };
    const responses = { 200: { description: "", content: { [type]: { schema } } } };
    const document = { openapi: "3.1.0", paths: { "/x": { post: { operationId: "x", responses } } } };
    const x = () => ({
      status: 200,
      body: (async function* () {
        yield { at: new Date(AT), id: BigInt(BIG), undeclared: 1 };
      })(),
    });
    const own = { "date-time": formats["date-time"], int64: formats.int64 };
    await using server = await listen(implement()({ document, handlers: { x } as never, formats: own, ...STRICT }));
    const { text } = await post(`${server.baseUrl}/x`);
    expect(text).toContain(`{"at":"${AT}","id":${BIG}}`);
  });

  test("responses are checked as they are written", async () => {
    const schema = { type: "object", required: ["dateTime"], properties: { ...all, other: { type: "string" } } };
    const body = {
      dateTime: new Date(AT),
      decimal: new Decimal("1.0"),
      amount: new Decimal("1.10"),
      objectId: new ObjectId(ID),
      int64: 2n ** 63n - 1n,
      undeclared: 1,
    };
    await using server = await serve({ responses: ok(schema) }, () => ({ status: 200, body }), { formats, ...STRICT });
    const { text } = await post(`${server.baseUrl}/x`);
    expect(text).toBe(
      `{"dateTime":"${AT}","decimal":"1.0","amount":1.10,"objectId":"${ID}","int64":9223372036854775807}`,
    );
  });

  test.each([
    [{ formats: { datetime: {} } }, 'The option formats has "datetime", but no schema has this format.'],
    [
      { formats: { int64: { parse: "BigInt" } } },
      "The option formats.int64.parse is a string. It has to be a function.",
    ],
    [{ keywords: [{ keyword: "isEvn" }] }, 'The option keywords has "isEvn", but no schema has this keyword.'],
    [{ unknownQueryParameters: "drop" }, 'The option unknownQueryParameters is "drop".'],
  ])("a wrong option %j is an error at start", (options, message) => {
    const document = { openapi: "3.1.0", paths: { "/x": { get: { operationId: "x", responses: ok(int64) } } } };
    const start = () => implement()({ document, handlers: { x: () => {} } as never, ...(options as object) });
    expect(start).toThrow(message);
  });
});

const STRICT = {
  checkResponses: "always",
  onViolation: ({ pointer, message }: { pointer: string; message: string }) => {
    throw new Error(`${pointer} ${message}`);
  },
} as const;

describe("keywords", () => {
  const isEven = {
    keyword: "x-even",
    type: "number",
    validate: (_: boolean, value: number) => value % 2 === 0,
    error: { message: "must be even, as agreed" },
  };
  const schema = { type: "object", properties: { a: { type: "integer", "x-even": true } } };

  test("validate bodies and parameters, with their own message", async () => {
    const { status, text } = await roundTrip(schema, `{"a":3}`, { keywords: [isEven], problemFormat: "problem+json" });
    expect(status).toBe(400);
    expect(text).toContain('\\"a\\" must be even, as agreed.');
    expect(text).toContain("/a");
    expect((await roundTrip(schema, `{"a":4}`, { keywords: [isEven] })).status).toBe(200);
    const operation = { parameters: [{ in: "query", name: "n", schema: schema.properties.a }] };
    await using server = await serve(operation, () => ({ status: 200, body: {} }), { keywords: [isEven] });
    expect((await post(`${server.baseUrl}/x?n=1`)).text).toContain("must be even, as agreed");
  });

  test("validate responses", async () => {
    const options = { keywords: [isEven], ...STRICT };
    await using server = await serve({ responses: ok(schema) }, () => ({ status: 200, body: { a: 1 } }), options);
    expect((await post(`${server.baseUrl}/x`)).text).toContain("/body/a must be even, as agreed");
  });

  test("have messages of at most 200 characters", async () => {
    const long = { ...isEven, error: { message: "x".repeat(5_000) } };
    const { text } = await roundTrip(schema, `{"a":3}`, { keywords: [long] });
    expect(text).toContain("x".repeat(200));
    expect(text.length).toBeLessThan(1_000);
  });
});

describe("unknownQueryParameters", () => {
  const operation = { parameters: [{ in: "query", name: "a", schema: { type: "string" } }] };
  const echo = ({ query }: Received) => ({ status: 200, body: query });

  test('"ignore" drops undeclared parameters', async () => {
    await using server = await serve(operation, echo, { unknownQueryParameters: "ignore" });
    for (const query of ["a=1&utm=2", "utm[x]=1&a=1", "a=1&constructor=1&constructor=2"])
      expect(await post(`${server.baseUrl}/x?${query}`)).toMatchObject({ status: 200, text: '{"a":"1"}' });
    expect((await post(`${server.baseUrl}/x?a=1&a=2`)).status).toBe(400);
  });

  test.each([{}, { unknownQueryParameters: "reject" }])("the default rejects them: %j", async (options) => {
    await using server = await serve(operation, echo, options);
    expect((await post(`${server.baseUrl}/x?a=1&utm=2`)).status).toBe(400);
  });
});
