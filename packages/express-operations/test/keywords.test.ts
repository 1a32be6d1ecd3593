import { operationsOf } from "openapi-document";
import { describe, expect, test } from "vitest";
import { linearPattern } from "../src/costs/linear-pattern.ts";
import { isMultipleOf } from "openapi-document";
import { implement } from "../src/index.ts";
import { describePattern } from "../src/request/pattern-words.ts";
import { responseCheck } from "../src/response/response-check.ts";
import { anyJson, serveEcho } from "./echo.ts";
import { listen } from "./listen.ts";

describe("pattern", () => {
  test("a pattern that escapes more than the flag `u` allows validates parameters and bodies", async () => {
    const schema = { type: "string", pattern: String.raw`^[\w\-]+$` };
    const body = { type: "object", additionalProperties: false, patternProperties: { [String.raw`^x\-`]: schema } };
    const operation = {
      operationId: "x",
      parameters: [{ in: "query", name: "name", schema }],
      requestBody: { content: { "application/json": { schema: body } } },
      responses: anyJson,
    };
    await using server = await serveEcho({ "/x": { post: operation } });
    const statusOf = async (query: string, json: object) => {
      const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(json) };
      return (await fetch(`${server.baseUrl}/x?name=${query}`, init)).status;
    };
    expect(await statusOf("a-b", { "x-a": "a-b" })).toBe(200);
    expect(await statusOf("a%20b", {})).toBe(400);
    expect(await statusOf("a", { "x-a": "a b" })).toBe(400);
    expect(await statusOf("a", { xa: "a" })).toBe(400);
  });

  describe("linearPattern", () => {
    test.each([
      ["^(a|a)*$", ["", "aaa"], ["aab"]],
      [String.raw`^(?:\s|.)+x$`, ["\u2003x", "ax"], ["x", "\u2028x\n"]],
      [String.raw`(?:\d|\w)+é`, ["1é"], ["é"]],
      [String.raw`^(?:\p{Lu}\p{L}*|😀)$`, ["Éa", "😀"], ["é", "😀😀"]],
      [String.raw`^(?:[^a]|[\-.])$`, ["-", "b"], ["a", "bb"]],
      ["^(?:a{2,}?|[])$", ["aa"], ["a", ""]],
      ["^.{1,4000}$", ["a"], [""]],
      [String.raw`^\([\w+/()\]]{1,4000}$`, ["(a+]"], ["(", "a"]],
    ])("%s matches the same texts as JavaScript", (source, matching, others) => {
      for (const pattern of [linearPattern(source), new RegExp(source, "u")])
        expect([...matching, ...others].filter((text) => pattern.test(text))).toEqual(matching);
    });

    const serve = (schema: object) => {
      const requestBody = { required: true, content: { "application/json": { schema } } };
      const paths = { "/x": { post: { operationId: "x", requestBody, responses: anyJson } } };
      const handlers = { x: () => ({ status: 200, body: {} }) } as never;
      return implement()({ document: { openapi: "3.1.0", paths }, handlers, compilePattern: linearPattern });
    };

    test("validates a long text in linear time, in a value and in the names of fields", async () => {
      const pattern = "^(a|a)*$";
      const names = {
        type: "object",
        patternProperties: { [pattern]: {} },
        propertyNames: { pattern },
        additionalProperties: false,
      };
      const schema = { type: "object", properties: { text: { type: "string", pattern }, names } };
      await using server = await listen(serve(schema));
      const post = async (body: object) => {
        const headers = { "Content-Type": "application/json" };
        return (await fetch(`${server.baseUrl}/x`, { method: "POST", headers, body: JSON.stringify(body) })).status;
      };
      const long = `${"a".repeat(10_000)}!`;
      expect(await post({ text: "aaa", names: { aa: 1 } })).toBe(200);
      expect(await post({ text: long })).toBe(400);
      expect(await post({ names: { [long]: 1 } })).toBe(400);
    });

    test.each([
      ["^(a+)\\1$", { properties: { text: { pattern: "^(a+)\\1$" } } }, "body/text"],
      ["^(?=a)(a|b)$", { patternProperties: { "^(?=a)(a|b)$": {} } }, "body"],
      ["^(?:ab){1001}$", { items: { pattern: "^(?:ab){1001}$" } }, "body/items"],
    ])("refuses %s at start, and names the place", (pattern, schema, place) => {
      expect(() => serve(schema)).toThrow(`x, ${place}: The pattern ${pattern} cannot be compiled. `);
    });
  });
});

describe("the words for a pattern", () => {
  test.each<[pattern: string, words: string | undefined]>([
    ["^[a-z]+$", "may contain only letters a-z"],
    ["^[a-zA-Z0-9]*$", "may contain only letters a-z, letters A-Z and digits"],
    ["^[^ \\t]*$", undefined],
    ["^[^ <>]*$", "must not contain spaces, < or >"],
    ["^[a-z]$", "must have exactly 1 character and may contain only letters a-z"],
    ["^[a-z]{1}$", "must have exactly 1 character and may contain only letters a-z"],
    ["^[a-z]{2}$", "must have exactly 2 characters and may contain only letters a-z"],
    ["^[a-z]{1,}$", "must have at least 1 character and may contain only letters a-z"],
    ["^[a-z]{2,}$", "must have at least 2 characters and may contain only letters a-z"],
    ["^[a-z]{0,1}$", "must have from 0 to 1 characters and may contain only letters a-z"],
    ["^[\\d\\d]*$", "may contain only digits"],
    ["^[\\w\\s]*$", "may contain only letters a-z, letters A-Z, digits, _ and white space"],
    ["^[\\p{L}\\p{N}]*$", "may contain only letters and digits"],
    ["^[\\p{Lu}]*$", undefined],
    ["^[\\P{L}]*$", undefined],
    ["^[\\S]*$", undefined],
    ["^[\\u0030-\\u{39}_]*$", "may contain only digits and _"],
    ["^[\\x00-\\x7F]*$", "may contain only ASCII characters"],
    ["^[^\\ud800-\\udfff]*$", "must not contain lone surrogates"],
    ["^[-a]*$", "may contain only - and a"],
    ["^[a-]*$", "may contain only a and -"],
    ["^[--0]*$", undefined],
    ["^[!--]*$", undefined],
    ["^[---]*$", "may contain only -"],
    ["^[\\]\\.\\-]*$", "may contain only ], . and -"],
    ["^[\\n]*$", undefined],
    ["^[\\1]*$", undefined],
    ["^[a-f]*$", undefined],
    ["^[\\d-z]*$", undefined],
    ["^[!~]*$", "may contain only ! and ~"],
    ["^[\\x20]*$", "may contain only spaces"],
    ["^[\\x7f]*$", "may contain only control characters"],
    ["^[é]*$", undefined],
    ["^[^^]*$", "must not contain ^"],
    ["^[^]{2}$", undefined],
    ["^[]*$", undefined],
    ["[a-z]*$", undefined],
    ["^[a-z]*", undefined],
    ["^[a-z]*[0-9]$", undefined],
  ])("the words for %s: %s", (pattern, words) => {
    expect(describePattern(pattern)).toBe(words);
  });
});

describe("format", () => {
  /** Sends texts of a format. Returns those that are accepted. */
  async function accepted(format: string, texts: string[], openapi: string): Promise<string[]> {
    const requestBody = { content: { "application/json": { schema: { type: "string", format } } } };
    const paths = { "/x": { post: { operationId: "x", requestBody, responses: anyJson } } };
    await using server = await serveEcho(paths, { openapi });
    const found: string[] = [];
    for (const text of texts) {
      const sent = { method: "POST", body: JSON.stringify(text), headers: { "Content-Type": "application/json" } };
      const { status } = await fetch(`${server.baseUrl}/x`, sent);
      expect([200, 400]).toContain(status);
      if (status === 200) found.push(text);
    }
    return found;
  }

  describe.each(["3.0.3", "3.1.0"])("OpenAPI %s validates the format", (openapi) => {
    const uuid = "8F3f6f0e-5d0c-4a53-9f0a-0a8f3c1c7f8e";

    test.each<[format: string, valid: string[], invalid: string[]]>([
      ["byte", ["", "AA==", "AAA=", "AAA+", "AAA/AAAA"], ["A", "AAA", "A===", "AA-_", "no Base64\n", "a b\n\nAAAA"]],
      ["uuid", [uuid], [`urn:uuid:${uuid}`, `{${uuid}}`, uuid.replaceAll("-", ""), `${uuid}\n`]],
      [
        "date-time",
        [
          "2026-01-31T23:59:59Z",
          "2026-01-31t00:00:00.123456789z",
          "2026-01-31 12:00:00+05:30",
          "2024-02-29T12:00:00-23:59",
          "2000-02-29T12:00:00Z",
          "2016-12-31T23:59:60Z",
          "2017-01-01T05:29:60+05:30",
          "2016-12-31T15:59:60-08:00",
        ],
        [
          "2026-01-31T12:00:00",
          "2026-01-31\n12:00:00Z",
          "2026-01-31T12:00:00Z\n",
          "2026-01-31T12:00:00+0530",
          "2026-01-31T12:00:00+24:00",
          "2026-01-31T12:00:00+05:60",
          "2026-01-31T24:00:00Z",
          "2026-01-31T12:60:00Z",
          "2026-01-31T12:00:61Z",
          "2026-01-31T12:00:60Z",
          "2026-01-31T23:59:60+01:00",
          "2026-01-31T12:00:00.Z",
          "2026-01-31T12:00Z",
          "2026-02-29T12:00:00Z",
          "1900-02-29T12:00:00Z",
          "2026-04-31T12:00:00Z",
          "2026-00-01T12:00:00Z",
          "2026-13-01T12:00:00Z",
          "2026-01-00T12:00:00Z",
        ],
      ],
    ])("%s", async (format, valid, invalid) => {
      expect(await accepted(format, [...valid, ...invalid], openapi)).toEqual(valid);
    });
  });
});

describe("multipleOf", () => {
  test.each([
    [19.99, 0.01, true],
    [-4.35, 0.01, true],
    [0, 0.01, true],
    [0.07, 0.1, false],
    [19.999, 0.01, false],
    [123_456_789.01, 0.01, true],
    [123_456_789.011, 0.01, false],
    [1e22, 0.001, true],
    [1e-7, 1e-8, true],
    [1.5e-7, 1e-7, false],
    [Number.MAX_VALUE, Number.MIN_VALUE, true],
    [7, 2.5, false],
    [7.5, 2.5, true],
    [1, 0, false],
  ])("%d is a multiple of %d: %s", (value, step, expected) => {
    expect(isMultipleOf(value, step)).toBe(expected);
  });

  test.each(["3.0.3", "3.1.0"])("prices in a query and a body of OpenAPI %s are multiples of 0.01", async (openapi) => {
    const price = { type: "number", multipleOf: 0.01 };
    const requestBody = { content: { "application/json": { schema: price } } };
    const post = {
      operationId: "x",
      parameters: [{ in: "query", name: "price", schema: price }],
      requestBody,
      responses: anyJson,
    };
    await using server = await serveEcho({ "/x": { post } }, { openapi });
    const send = async (query: string, body: string) => {
      const sent = { method: "POST", body, headers: { "Content-Type": "application/json" } };
      const response = await fetch(`${server.baseUrl}/x?price=${query}`, sent);
      return response.status === 200 ? 200 : ((await response.json()) as { message: string }).message;
    };
    expect(await send("19.99", "4.35")).toBe(200);
    expect(await send("19.999", "4.35")).toBe('Query parameter "price" must be a multiple of 0.01.');
    expect(await send("19.99", "4.355")).toBe("The request body must be a multiple of 0.01.");
  });

  test("a price in a checked response is a multiple of 0.01", async () => {
    const content = { "application/json": { schema: { type: "number", multipleOf: 0.01 } } };
    const paths = { "/x": { get: { operationId: "x", responses: { 200: { description: "", content } } } } };
    const document = { openapi: "3.1.0", info: { title: "t", version: "1" }, paths };
    const { response } = responseCheck(document, operationsOf(document)[0]!);
    const violationsOf = (body: unknown) => response({ status: 200, contentType: "application/json", body });
    expect(violationsOf(19.99)).toEqual([]);
    expect(violationsOf(19.999)).toMatchObject([{ pointer: "/body", message: "must be multiple of 0.01" }]);
  });
});
