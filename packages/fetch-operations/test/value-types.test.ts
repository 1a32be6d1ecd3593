import { describe, expect, test } from "vitest";
import type { Config } from "../src/generate/config.ts";
import { shapesOf } from "../src/contract/shapes.ts";
import { compile, type GeneratedClient, generatedClient } from "./generated-client.ts";
import { serve } from "./shop.ts";
import { ref } from "./schemas.ts";

const int64 = { type: "integer", format: "int64" };
const time = { type: "string", format: "date-time" };
const schemas = {
  Node: {
    type: "object",
    properties: {
      id: int64,
      at: time,
      day: { type: "string", format: "date" },
      size: { type: "integer" },
      next: { anyOf: [ref("Node"), { type: "null" }] },
      byName: { type: "object", additionalProperties: int64 },
      times: { type: "array", items: { allOf: [time] } },
      plain: ref("Plain"),
    },
  },
  Plain: { type: "object", properties: { id: { type: "integer" }, self: ref("Plain") } },
};
const json = (schema: object) => ({ "application/json": { schema } });
const document = {
  openapi: "3.1.1",
  info: { title: "T", version: "1" },
  components: { schemas },
  paths: {
    "/nodes": {
      get: {
        operationId: "list",
        parameters: [
          { name: "since", in: "query", schema: time },
          { name: "id", in: "query", schema: int64 },
        ],
        responses: { 200: { description: "", content: json({ type: "array", items: ref("Node") }) } },
      },
      post: {
        operationId: "add",
        requestBody: { required: true, content: json(ref("Node")) },
        responses: { 200: { description: "", content: json(ref("Plain")) } },
      },
    },
    ...Object.fromEntries(
      ["text/event-stream", "application/jsonl", "application/json-seq"].map((type, index) => {
        const responses = { 200: { description: "", content: { [type]: { schema: ref("Node") } } } };
        return [`/stream${index}`, { get: { operationId: `stream${index}`, responses } }];
      }),
    ),
  },
};

async function exchange(config: Partial<Config>, body: string, input: object = {}) {
  using client: GeneratedClient = await generatedClient(document, config);
  const sent: string[] = [];
  await using server = await serve((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += String(chunk)));
    request.on("end", () => {
      sent.push(`${request.url} ${text}`);
      response.writeHead(200, { "Content-Type": "application/json" }).end(body);
    });
  });
  const thing = client.create({ baseUrl: server.baseUrl });
  const result = await ("body" in input ? thing["add"]!(input) : thing["list"]!(input));
  return { result, sent };
}

describe("with int64: bigint", () => {
  test("64-bit integers are exact both ways, at every depth, and others stay numbers", async () => {
    const body =
      '[{"id":9007199254740993,"size":5,"next":{"id":-9223372036854775808,"next":null},"byName":{"a":7},"day":"9007199254740993"}]';
    const { result, sent } = await exchange({ int64: "bigint" }, body, { id: 9_223_372_036_854_775_807n });
    expect(result.data).toEqual([
      {
        id: 9_007_199_254_740_993n,
        size: 5,
        next: { id: -9_223_372_036_854_775_808n, next: null },
        byName: { a: 7n },
        day: "9007199254740993",
      },
    ]);
    expect(sent).toEqual(["/nodes?id=9223372036854775807 "]);
    const added = await exchange({ int64: "bigint" }, "{}", {
      body: { id: 9_007_199_254_740_993n, byName: { "9": 1n } },
    });
    expect(added.sent).toEqual(['/nodes {"id":9007199254740993,"byName":{"9":1}}']);
  });

  test.each([
    ["stream0", "text/event-stream", (node: string) => `data: ${node}\n\n`],
    ["stream1", "application/jsonl", (node: string) => `${node}\n`],
    ["stream2", "application/json-seq", (node: string) => `\u001e${node}\n`],
  ])("the items of %s, %s, are converted like bodies", async (name, type, write) => {
    using client = await generatedClient(document, { int64: "bigint", dates: "Date" });
    const node = '{"id":9007199254740993,"at":"2026-01-31T12:00:00Z"}';
    await using server = await serve((_request, response) => {
      response.writeHead(200, { "Content-Type": type }).end(write(node));
    });
    const items = (await client.create({ baseUrl: server.baseUrl })[name]!().orThrow()) as AsyncIterable<object>;
    const [item] = await Array.fromAsync(items);
    const data = item && "data" in item ? item.data : item;
    expect(data).toEqual({ id: 9_007_199_254_740_993n, at: new Date("2026-01-31T12:00:00Z") });
  });

  test("a number that may have been rounded is refused before it is sent", async () => {
    const exact = await exchange({}, "{}", { body: { size: 2 ** 53 - 1, name: "9007199254740993", rate: 1e300 } });
    expect(exact.result.ok).toBe(true);
    for (const config of [{}, { int64: "bigint" as const }]) {
      const { result, sent } = await exchange(config, "{}", { body: { byName: { a: 2 ** 53 } } });
      expect(result.error).toMatchObject({
        code: "unsendable_request",
        message:
          "A value of the request cannot be sent. The body has the integer 9007199254740992, which a JavaScript number may have rounded.",
      });
      expect(sent).toEqual([]);
    }
    const { result } = await exchange({}, "[]", { id: 2 ** 60 });
    expect(result.error).toMatchObject({ code: "unsendable_request" });
  });

  test("another integer that a number would round is refused", async () => {
    const { result } = await exchange({ int64: "bigint" }, '[{"id":9007199254740993,"size":9007199254740993}]');
    expect(result.error).toMatchObject({
      code: "unreadable_answer",
      message:
        "The response 200 (application/json) has the integer 9007199254740993, which a JavaScript number would round.",
    });
  });
});

describe("with dates", () => {
  test("as Date, date-times are dates both ways", async () => {
    const { result, sent } = await exchange(
      { dates: "Date" },
      '[{"at":"2026-01-31T12:00:00+02:00","day":"2026-01-31","times":["2026-01-31T12:00:00Z",null]}]',
      {
        since: new Date(0),
      },
    );
    expect(result.data).toEqual([
      { at: new Date("2026-01-31T10:00:00Z"), day: "2026-01-31", times: [new Date("2026-01-31T12:00:00Z"), null] },
    ]);
    expect(sent).toEqual(["/nodes?since=1970-01-01T00%3A00%3A00.000Z "]);
  });

  test("as Temporal, date-times are instants, and dates are plain dates", async (context) => {
    context.skip(!("Temporal" in globalThis), "the runtime has no Temporal");
    const { result } = await exchange(
      { dates: "Temporal" },
      '[{"at":"2026-01-31T12:00:00.123456789Z","day":"2026-01-31"}]',
    );
    const [node] = result.data as { at: Date; day: Date }[];
    expect([String(node!.at), String(node!.day)]).toEqual(["2026-01-31T12:00:00.123456789Z", "2026-01-31"]);
    expect(node!.at.constructor.name).toBe("Instant");
  });

  test("in the bodies of errors are the texts that their types say", async () => {
    const error = {
      type: "object",
      required: ["since", "ids"],
      properties: { since: time, ids: { type: "array", items: int64 } },
    };
    const get = {
      operationId: "get",
      responses: { 204: { description: "" }, 409: { description: "", content: json(error) } },
    };
    using client = await generatedClient(
      { ...document, paths: { "/get": { get } } },
      { int64: "bigint", dates: "Date" },
    );
    const program = `import { createThing } from "./index.ts";
const result = await createThing({ baseUrl: "http://127.0.0.1" }).get();
if (result.status === 409) {
  const since: string = result.error.since;
  const ids: number[] = result.error.ids;
  void [since, ids];
}
`;
    expect(compile(client, program)).toBe("");
    await using server = await serve((_request, response) => {
      response.writeHead(409, { "Content-Type": "application/json" }).end('{"since":"2026-01-31T12:00:00Z","ids":[1]}');
    });
    const result = await client.create({ baseUrl: server.baseUrl })["get"]!();
    expect(result.error).toEqual({ since: "2026-01-31T12:00:00Z", ids: [1] });
  });

  test("that cannot be read are failures", async () => {
    const { result } = await exchange({ dates: "Date" }, '[{"at":"soon"}]');
    expect(result.error).toMatchObject({
      message: 'The response 200 (application/json) has the date "soon", which cannot be read.',
    });
  });
});

describe("shapes", () => {
  test("name only schemas with such values", () => {
    const { named, of } = shapesOf(document, { int64: "bigint" });
    expect(Object.keys(named)).toEqual(["Node"]);
    expect(of(ref("Plain") as never)).toBeUndefined();
    expect(of({ type: "array", items: ref("Node") })).toEqual({ items: "#Node" });
    expect(shapesOf(document as never, {}).named).toEqual({});
  });

  test("of a value that is both a date and a list are refused", () => {
    const schema = { oneOf: [time, { type: "array", items: time }] };
    expect(() => shapesOf(document as never, { dates: "Date" }).of(schema as never)).toThrow(
      "A schema has several notations of dates or integers",
    );
  });
});

const day = { type: "string", format: "date" };
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const documentOf = (known: object) => ({ openapi: "3.1.1", components: { schemas: known } });
const ALL = { int64: "bigint", dates: "Temporal" } as const;

describe("the shape of a schema", () => {
  const known = {
    Id: int64,
    Plain: { type: "string" },
    Base: object({ id: int64, at: time }),
    Other: object({ day }),
  };
  // Each kind of pet is an alternative of its base, and has its base as a part.
  const animals = {
    Pet: { ...object({ id: int64 }), oneOf: [ref("Cat"), ref("Dog")] },
    Cat: { allOf: [ref("Pet"), object({ born: time })] },
    Dog: { allOf: [ref("Pet")] },
  };
  Object.assign(known, animals, { Alias: ref("Base") });
  const shapeOf = (schema: unknown, config: object = ALL) => shapesOf(documentOf(known), config).of(schema as never);

  test.each<[schema: unknown, shape: unknown, config?: object]>([
    [undefined, undefined],
    [true, undefined],
    [int64, "int64"],
    [int64, undefined, { dates: "Date" }],
    [int64, undefined, { int64: "number", dates: "string" }],
    [{ ...int64, type: ["integer", "null"] }, "int64"],
    [{ ...int64, type: "string" }, undefined],
    [{ format: "int64" }, undefined],
    [{ type: "integer", format: "int32" }, undefined],
    [time, "date-time"],
    [time, "date-time", { dates: "Date" }],
    [time, undefined, { int64: "bigint" }],
    [time, undefined, { int64: "bigint", dates: "string" }],
    [{ ...time, type: ["null", "string"] }, "date-time"],
    [{ ...time, type: "integer" }, undefined],
    [day, "date"],
    [day, undefined, { dates: "Date" }],
    [ref("Id"), "#Id"],
    [ref("Plain"), undefined],
    [{ $ref: "#/components/schemas/Base/properties/id" }, "int64"],
    [{ type: "array", items: int64 }, { items: "int64" }],
    [{ type: "array", items: { type: "string" } }, undefined],
    [object({ a: int64, b: { type: "string" }, c: ref("Plain") }), { fields: { a: "int64" } }],
    [object({}, { additionalProperties: time }), { fields: {}, rest: "date-time" }],
    [
      object({ a: day }, { additionalProperties: { items: int64 } }),
      { fields: { a: "date" }, rest: { items: "int64" } },
    ],
    [object({ a: { type: "string" } }, { additionalProperties: true }), undefined],
    [{ oneOf: [int64, { type: "null" }] }, "int64"],
    [{ anyOf: [{ type: "string" }, { allOf: [time] }] }, "date-time"],
    [{ oneOf: [ref("Id"), ref("Id")] }, "#Id"],
    [{ oneOf: [ref("Base"), ref("Plain")] }, { fields: { id: "int64", at: "date-time" } }],
    [{ allOf: [ref("Alias"), object({ day })] }, { fields: { id: "int64", at: "date-time", day: "date" } }],
    [ref("Pet"), "#Pet"],
    [{ allOf: [ref("Cat"), object({ day })] }, { fields: { id: "int64", born: "date-time", day: "date" } }],
    [{ oneOf: [ref("Plain"), int64, ref("Plain")] }, "int64"],
    [{ allOf: [ref("Base"), ref("Other")] }, { fields: { id: "int64", at: "date-time", day: "date" } }],
    [
      { allOf: [object({ a: int64 }, { additionalProperties: day }), object({ b: time, a: int64 })] },
      { fields: { a: "int64", b: "date-time" }, rest: "date" },
    ],
    [
      { allOf: [object({ a: object({ b: int64 }) }), object({ a: object({ c: time }) })] },
      { fields: { a: { fields: { b: "int64", c: "date-time" } } } },
    ],
    [{ oneOf: [{ items: int64 }, { items: int64 }] }, { items: "int64" }],
  ])("%j is %j", (schema, shape, config) => {
    expect(shapeOf(schema, config)).toEqual(shape);
  });

  test.each([
    [{ oneOf: [time, int64] }, '"date-time", "int64"'],
    [{ oneOf: [ref("Base"), { items: int64 }] }, '"#Base", {"items":"int64"}'],
    [{ allOf: [object({ a: int64 }), object({ a: time })] }, '"int64", "date-time"'],
  ])("%j is refused, because it has several", (schema, notations) => {
    expect(() => shapeOf(schema)).toThrow(
      new TypeError(
        `A schema has several notations of dates or integers: ${notations}. Leave out the options int64 and dates.`,
      ),
    );
  });
});

test("the named shapes are those that lead to a place, without references to others", () => {
  const known = {
    Leaf: { type: "string" },
    Tree: object(
      { left: ref("Tree"), leaf: ref("Leaf"), all: { items: ref("Leaf") } },
      { additionalProperties: ref("Tree") },
    ),
    List: { items: ref("Node") },
    Node: object(
      {
        at: time,
        list: ref("List"),
        tree: ref("Tree"),
        trees: { items: ref("Tree") },
        map: object({}, { additionalProperties: ref("Tree") }),
      },
      { additionalProperties: ref("Tree") },
    ),
    Alias: ref("Node"),
    Map: object({}, { additionalProperties: ref("Alias") }),
  };
  const { named } = shapesOf(documentOf(known), ALL);
  expect(named).toEqual({
    List: { items: "#Node" },
    Node: { fields: { at: "date-time", list: "#List" } },
    Alias: "#Node",
    Map: { fields: {}, rest: "#Alias" },
  });
  expect(shapesOf(documentOf(known), {}).named).toEqual({});
  expect(shapesOf({ openapi: "3.1.1" }, ALL).named).toEqual({});
});
