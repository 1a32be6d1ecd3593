import { describe, expect, test } from "vitest";
import type { Config } from "../src/generate/config.ts";
import { shapesOf } from "../src/contract/shapes.ts";
import { type GeneratedClient, generatedClient } from "./generated-client.ts";
import { serve } from "./servers.ts";

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
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
