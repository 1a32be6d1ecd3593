import type { RequestListener } from "node:http";
import { describe, expect, test } from "vitest";
import {
  mediaTypes,
  readAny,
  readBlob,
  readEvents,
  readJson,
  readLines,
  readSequence,
  readString,
  readTextEvents,
  typedJson,
  connectTo,
} from "../src/index.ts";
import type { DateType, Shape } from "../src/response/typed-json.ts";
import { api, callsOf, inTurn, rejection, respond, shop } from "./shop.ts";

type Failed = { code: string };
type Events = AsyncIterableIterator<{ event: string; data: unknown; id: string }>;

async function read(
  reader: (exchange: never) => unknown,
  type: string | undefined,
  body: string,
  operation: object = {},
) {
  await using server = await shop(respond(200, body, type), { retry: false });
  return await server.call({ read: reader, ...operation });
}

const digits = "12345678901234567890123456789012345678901234567890".repeat(8);

describe("JSON", () => {
  test.each([
    ["[1]", [1]],
    ["9007199254740991", 9_007_199_254_740_991],
    ["-9007199254740992", -9_007_199_254_740_992],
    ["[1e30, 12345678901234567.5, 1234567890123456e2]", [1e30, 12_345_678_901_234_568, 1_234_567_890_123_456e2]],
    ['{"a":{"a":[{"a":1}, {"a":":\\"{"}]}}', { a: { a: [{ a: 1 }, { a: ':"{' }] } }],
    ['{"9007199254740993":"\\"9007199254740993"}', { "9007199254740993": '"9007199254740993' }],
    ["[1000000000000000000000]", [1e21]],
    ["false", false],
    ["0", 0],
    ['""', ""],
  ])("%s is read", async (body, value) => {
    const { data, error } = await read(readJson, "application/json", body);
    expect([data, error]).toEqual([value, undefined]);
  });

  test("a string of 15 MB with many escapes is read, which would exhaust the stack of a regular expression", async () => {
    const text = String.raw`a\n`.repeat(5_000_000);
    const { data } = await read(readJson, "application/json", `[ 9007199254740992, "${text}"]`);
    expect(data).toEqual([2 ** 53, text.replaceAll(String.raw`\n`, "\n")]);
  });

  test.each([
    ["", "has no body", {}],
    ["null", "has no body", {}],
    ["", "has no body", { isNullable: true }],
    ["[1", "is not JSON or is incomplete", {}],
    ["[9007199254740993]", "has the integer 9007199254740993, which a JavaScript number would round", {}],
    ["[1, -9007199254740993]", "has the integer -9007199254740993, which a JavaScript number would round", {}],
    ['["a", 9007199254740993]', "has the integer 9007199254740993, which a JavaScript number would round", {}],
    ['{"a":{"b":1},"a":2}', 'has an object with the name "a" twice', {}],
    [String.raw`[{"a\u0062":[{"a":1}], "ab":2}]`, 'has an object with the name "ab" twice', {}],
    ["[1e400]", "has the integer 1e400, which a JavaScript number would round", {}],
    ["[9007199254740993.0]", "has the integer 9007199254740993.0, which a JavaScript number would round", {}],
    [digits, `has the integer ${digits.slice(0, 40)}, which a JavaScript number would round`, {}],
  ])("%j is refused: it %s", async (body, problem, operation) => {
    const { error } = await read(readJson, "application/json", body, operation);
    const message = `The response 200 (application/json) ${problem}.`;
    expect(error).toMatchObject({ code: "unreadable_answer", message, bodyStart: body });
  });

  test("may be null, if the contract says so", async () => {
    const { ok, data } = await read(readJson, "application/json", "null", { isNullable: true });
    expect([ok, data]).toEqual([true, null]);
  });
});

describe("JSON with values of other types", () => {
  const shapes = { Node: { fields: { id: "int64", next: "#Node" }, rest: { items: "int64" } }, Id: "int64" } as const;
  const at = "2026-01-31T12:00:00Z";
  test.each<[shape: Shape, dates: DateType, body: string, value: unknown]>([
    ["int64", undefined, "9007199254740993", 9_007_199_254_740_993n],
    ["int64", undefined, "-1234567890123456789", -1_234_567_890_123_456_789n],
    ["int64", undefined, "1234567890123456", 1_234_567_890_123_456n],
    ["int64", undefined, "-3", -3n],
    ["int64", undefined, "1.5", 1.5],
    ["int64", undefined, String.raw`"\u0000abc"`, "\0abc"],
    ["int64", undefined, '"7"', "7"],
    ["#Id", undefined, "7", 7n],
    [
      "#Node",
      undefined,
      '{"id":1,"next":{"id":2,"next":null},"more":[3,"4"],"other":5}',
      { id: 1n, next: { id: 2n, next: null }, more: [3n, "4"], other: 5 },
    ],
    ["#Node", undefined, '{"toString":[1],"id":null}', { toString: [1n], id: null }],
    ["#Node", undefined, "[1]", [1]],
    ["#Node", undefined, '"a"', "a"],
    [{ items: "int64" }, undefined, '{"a":1}', { a: 1 }],
    [{ fields: { a: "int64" } }, undefined, '{"a":1,"b":1}', { a: 1n, b: 1 }],
    [
      { fields: { a: "int64" } },
      undefined,
      '{"a":9007199254740993,"b":"9007199254740993","c":12345678901234567.5}',
      { a: 9_007_199_254_740_993n, b: "9007199254740993", c: 12_345_678_901_234_568 },
    ],
    ["date-time", "Date", JSON.stringify(at), new Date(at)],
    ["date-time", undefined, JSON.stringify(at), at],
    ["date-time", "Date", "5", 5],
    ["date", "Date", '"2026-01-31"', "2026-01-31"],
  ])("of the shape %j, with dates as %s: %s", async (shape, dates, body, value) => {
    const { data, error } = await read(typedJson(shape, shapes, dates), "application/json", body);
    expect([data, error]).toEqual([value, undefined]);
  });

  test("a value that exhausts the stack is refused", async () => {
    const deep = `${'{"next":'.repeat(100_000)}null${"}".repeat(100_000)}`;
    const { error } = await read(typedJson("#Node", shapes, undefined), "application/json", deep);
    const message = "The response 200 (application/json) is nested too deeply.";
    expect(error).toMatchObject({ code: "unreadable_answer", message });
  });

  const late = "x".repeat(50);
  test.each<[shape: Shape, dates: DateType, body: string, problem: string]>([
    [
      { fields: { a: "int64" } },
      undefined,
      '{"a":1,"b":9007199254740993}',
      "has the integer 9007199254740993, which a JavaScript number would round",
    ],
    [
      { fields: { a: "int64" } },
      undefined,
      '{"a":9007199254740995,"b":9007199254740993}',
      "has the integer 9007199254740995, which a JavaScript number would round",
    ],
    [
      { fields: { a: "int64" } },
      undefined,
      String.raw`{"a":"\u00005","b":9007199254740993}`,
      "has the integer 9007199254740993, which a JavaScript number would round",
    ],
    ["int64", undefined, digits, `has the integer ${digits.slice(0, 40)}, which a JavaScript number would round`],
    ["int64", undefined, "", "has no body"],
    ["int64", undefined, "null", "has no body"],
    ["int64", undefined, "[", "is not JSON or is incomplete"],
    ["date-time", "Date", `"${late}"`, `has the date "${late.slice(0, 40)}", which cannot be read`],
  ])("of the shape %j, with dates as %s, refuses %s", async (shape, dates, body, problem) => {
    const { error } = await read(typedJson(shape, shapes, dates), "application/json", body);
    expect(error).toMatchObject({ message: `The response 200 (application/json) ${problem}.`, bodyStart: body });
  });

  test("names the reason of a date that cannot be read", async () => {
    const result = await read(typedJson("date-time", {}, "Date"), "application/json", '"soon"');
    expect(result).toMatchObject({ cause: new RangeError('"soon" is not a date.') });
  });
});

describe("the media type of a response chooses its reader:", () => {
  const kinds = { json: readJson, text: readString, blob: readBlob };
  const several = {
    "Application/JSON": "json",
    "text/csv; header=present": "text",
    "text/*": "text",
    "image/*+xml": "text",
    "image/*": "blob",
  };
  test.each<
    [declared: Record<string, string>, type: string | undefined, data: unknown, contentType: string | undefined]
  >([
    [several, "application/json; charset=utf-8", [1], "Application/JSON"],
    [several, "TEXT/CSV", "[1]", "text/csv; header=present"],
    [several, "text/html", "[1]", "text/*"],
    [several, "image/svg+xml", "[1]", "image/*+xml"],
    [several, "image/png", expect.any(Blob), "image/*"],
    [{ "text/csv": "text", "image/*": "blob" }, "image/svg+xml", expect.any(Blob), "image/*"],
    [{ ...several, "*/*": "text" }, "audio/ogg", "[1]", "*/*"],
    [{ ...several, "*/*": "text" }, "", "[1]", "*/*"],
    [{ "text/csv": "text" }, "image/png", "[1]", undefined],
    [{ "text/csv": "text" }, "text/csv", "[1]", undefined],
  ])("%j, and %s", async (declared, type, data, contentType) => {
    const readers = Object.fromEntries(Object.entries(declared).map(([key, kind]) => [key, kinds[kind as "json"]]));
    const result = await read(mediaTypes(readers), type, "[1]");
    expect([result.error, result.data, result.contentType]).toEqual([undefined, data, contentType]);
    expect("contentType" in result).toBe(contentType !== undefined);
  });

  test.each(["audio/ogg", "application/json+x", ""])("and %j, which is not declared, is refused", async (type) => {
    const readers = { "application/json": readJson, "text/csv": readString };
    const { error } = await read(mediaTypes(readers), type, "[1]");
    const message = `The response 200 (${type || "no Content-Type"}) has a media type that the contract does not declare.`;
    expect(error).toMatchObject({ code: "unreadable_answer", message, bodyStart: "[1]" });
  });

  test.each([
    ["application/json", [1]],
    ["application/vnd.a+json; v=1", [1]],
    ["", [1]],
    ["text/html", "[1]"],
    ["application/xml", "[1]"],
    ["image/svg+xml", "[1]"],
    ["application/yaml", "[1]"],
    ["application/x+yaml", "[1]"],
    ["application/json-like", expect.any(Blob)],
    ["image/png", expect.any(Blob)],
    ["x-text/a", expect.any(Blob)],
  ])("if the contract declares any, %j is %s", async (type, data) => {
    expect((await read(readAny as never, type, "[1]")).data).toEqual(data);
  });
});

describe("bytes", () => {
  test.each([
    [5, "abcde"],
    [4, "response_too_large"],
  ])("of 5, with a limit of %s: %s", async (maxResponseBytes, expected) => {
    const fetch = async () => ({
      status: 200,
      ok: true,
      headers: new Headers(),
      body: undefined,
      arrayBuffer: async () => new TextEncoder().encode("abcde").buffer,
    }); // as in a runtime without streams of bodies
    const options = { maxResponseBytes, retry: false as const };
    await using server = await shop(respond(200, "abcde", "image/png"), options);
    const other = connectTo(api, { baseUrl: "http://shop.test", fetch: fetch as never, ...options });
    const found = [];
    for (const call of [server.call, callsOf(other)]) {
      const { ok, data, error } = await call({ read: readBlob });
      found.push(ok ? `${(data as Blob).type} ${await (data as Blob).text()}` : (error as Failed).code);
    }
    expect(found).toEqual(expected === "abcde" ? ["image/png abcde", " abcde"] : [expected, expected]);
  });
});

describe("a stream of values", () => {
  const values = async (reader: unknown, body: string, options: object = {}) => {
    await using server = await shop(respond(200, body, "application/jsonl"), options);
    const found: unknown[] = [];
    try {
      for await (const value of (await server
        .call({ read: reader as never, streams: true })
        .orThrow()) as AsyncIterable<unknown>)
        found.push(value);
    } catch (error) {
      found.push(`${(error as { code: string }).code}: ${(error as Error).message}`);
    }
    return found;
  };

  test.each<[reader: unknown, body: string, found: unknown[], options?: object]>([
    [readLines, '1\n\n[2]\r\n"é"', [1, [2], "é"]],
    [readLines, "", []],
    [readLines, " \n", []],
    [readSequence, "\u001e1\n\u001e[2]\n", [1, [2]]],
    [readLines, "1\n[2", [1, "unreadable_answer: The response 200 (application/jsonl) is not JSON or is incomplete."]],
    [
      readLines,
      '"abcdef"\n"abcdefg"',
      ["abcdef", "response_too_large: A value of the stream is larger than 8 bytes."],
      { maxResponseBytes: 8 },
    ],
    [readLines, '"abcdef"\n"abcdef"\n1', ["abcdef", "abcdef", 1], { maxResponseBytes: 8 }],
  ])("%#: %o", async (reader, body, found, options) => {
    expect(await values(reader, body, options)).toEqual(found);
  });
});

describe("Server-Sent Events", () => {
  const stream = (...texts: string[]): RequestListener[] =>
    texts.map((text, index) => (_request, response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      if (index === texts.length - 1) response.end(text);
      else response.write(text, () => response.destroy());
    });
  const eventsOf = async (reader: unknown, listener: RequestListener, options: object = {}, operation: object = {}) => {
    const ids: unknown[] = [];
    await using server = await shop((request, response) => {
      ids.push(request.headers["last-event-id"]);
      return listener(request, response);
    }, options);
    const events = (await server.call({ read: reader as never, streams: true, ...operation }).orThrow()) as Events;
    const found: unknown[] = [];
    const error = await (async () => {
      for await (const { event, data, id } of events) found.push([event, data, id]);
    })().catch((reason: unknown) => reason);
    return { found, error, ids };
  };

  test.each<[text: string, found: unknown[]]>([
    ["data: a\n\n", [["message", "a", ""]]],
    [
      "data:a\r\rdata:  b\r\r",
      [
        ["message", "a", ""],
        ["message", " b", ""],
      ],
    ],
    [
      "data: a\r\n\r\ndata: b\r\n\r\n",
      [
        ["message", "a", ""],
        ["message", "b", ""],
      ],
    ],
    ["data\n\n", [["message", "", ""]]],
    ["data: a\ndata\ndata: b\n\n", [["message", "a\n\nb", ""]]],
    [
      "event: x\ndata: a\n\ndata: b\n\n",
      [
        ["x", "a", ""],
        ["message", "b", ""],
      ],
    ],
    ["event: x\n\ndata: b\n\n", [["message", "b", ""]]],
    [
      "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n",
      [
        ["message", "a", "1"],
        ["message", "b", "1"],
        ["message", "c", ""],
      ],
    ],
    ["id: 1\n\nid: 2\u0000\ndata: a\n\n", [["message", "a", "1"]]],
    [": data: a\nother: b\ndata : c\ndata: d:e\n\n", [["message", "d:e", ""]]],
    ["\uFEFFdata: a\n\n\uFEFFdata: b\n\ndata: c", [["message", "a", ""]]],
    ["", []],
  ])("%j are parsed", async (text, found) => {
    expect(await eventsOf(readTextEvents, stream(text)[0]!)).toMatchObject({ found, error: undefined });
  });

  test("have data of JSON, and an error of the contract for other data", async () => {
    const { found, error } = await eventsOf(readEvents, stream("id: 7\ndata: [1,\ndata: 2]\n\ndata: {\n\n")[0]!);
    expect(found).toEqual([["message", [1, 2], "7"]]);
    expect(error).toMatchObject({ name: "ShopError", code: "unreadable_answer", bodyStart: "{" });
  });

  test("of JSON end with the data [DONE], as many services send it", async () => {
    const text = 'data: {"a":1}\n\ndata: [DONE]\n\n';
    expect(await eventsOf(readEvents, stream(text)[0]!)).toMatchObject({ found: [["message", { a: 1 }, ""]] });
    const { found } = await eventsOf(readTextEvents, stream(text)[0]!);
    expect(found).toHaveLength(2);
  });

  test("are limited in size each", async () => {
    const options = { maxResponseBytes: 10 };
    const text = "data: 1234\ndata: 567890\n\ndata: 1234\ndata: 5678901\n\n";
    const { found, error } = await eventsOf(readTextEvents, stream(text)[0]!, { maxResponseBytes: 13 });
    expect(found).toEqual([
      ["message", "1234\n567890", ""],
      ["message", "1234\n5678901", ""],
    ]);
    expect(error).toBeUndefined();
    const small = await eventsOf(
      readTextEvents,
      stream(
        "data: a\ndata: b\ndata: c\ndata: d\ndata: e\ndata: f\ndata: g\ndata: h\ndata: i\ndata: j\n\ndata: ab\ndata: cd\ndata: ef\ndata: gh\ndata: ij\ndata: k\n\n",
      )[0]!,
      options,
    );
    expect(small.found).toEqual([["message", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj", ""]]);
    expect(small.error).toMatchObject({ code: "response_too_large", message: "An event is larger than 10 bytes." });
  });

  test("resume after the last complete event, with its id", async () => {
    const texts = ["retry: 1\nid: a\ndata: 1\n\nid: b\ndata: 2\n", "id: c\ndata: 3\n\nid: d\n\nid: e", "data: 4\n\n"];
    const { found, error, ids } = await eventsOf(readEvents, inTurn(...stream(...texts)));
    expect([found.map((event) => (event as unknown[])[1]), error]).toEqual([[1, 3, 4], undefined]);
    expect(ids).toEqual([undefined, "a", "d"]);
  });

  test.each<[title: string, texts: string[], count: number, operation?: object]>([
    ["without an id", ["data: 1\n\n", ""], 1],
    ["before the first event", ["id: 1\n", ""], 1],
    ["of an operation that is not safe to repeat", ["id: 1\ndata: 1\n\n", ""], 1, { isRetryable: false }],
    ["again without a further event", ["retry: 0\nid: 1\ndata: 1\n\n", "id: 2\n\n", ""], 2],
  ])("do not resume %s", async (_title, texts, count, operation) => {
    const { error, ids } = await eventsOf(readEvents, inTurn(...stream(...texts)), { retry: false }, operation);
    expect(error).toMatchObject({ name: "ShopError", code: "network_error" });
    expect(ids).toHaveLength(count);
  });

  test("end with a 204 at their resumption, and throw its error response", async () => {
    const [first] = stream("retry: 0\nid: 1\ndata: 1\n\n", "");
    const ended = await eventsOf(readEvents, inTurn(first!, respond(204)));
    expect([ended.found, ended.error]).toEqual([[["message", 1, "1"]], undefined]);
    const failed = await eventsOf(readEvents, inTurn(first!, respond(404, '{"code":"gone","message":"It is gone."}')));
    expect(failed.error).toMatchObject({ name: "ShopError", code: "gone", status: 404 });
  });

  test("end during the wait with their signal", async () => {
    const [first] = stream("retry: 999999\nother: 0\nretry: x0\nretry: 0x\nretry\nid: 1\ndata: 1\n\n", "");
    await using server = await shop(first!);
    const controller = new AbortController();
    const events = (await server
      .call({ read: readEvents, streams: true }, {}, { signal: controller.signal })
      .orThrow()) as Events;
    await events.next();
    setTimeout(() => controller.abort(), 100);
    expect(await rejection(events.next())).toMatchObject({ name: "ShopError", code: "aborted" });
    expect(server.requests).toHaveLength(1);
  });
});
