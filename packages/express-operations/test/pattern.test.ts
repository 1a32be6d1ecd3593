import { describe, expect, test } from "vitest";
import { linearPattern } from "../src/costs/linear-pattern.ts";
import { implement } from "../src/index.ts";
import { anyJson, serveEcho } from "./echo.ts";
import { listen } from "./listen.ts";

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
