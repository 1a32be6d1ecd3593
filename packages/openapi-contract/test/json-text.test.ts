import { describe, expect, test } from "vitest";
import { jsonPlaces, jsonPositions, parsedJson } from "../src/json-text.ts";

const TEXT = String.raw`
{
  "a/b~c": { "a": { "a": 1, "\u00e9\"}": [] } },
  "list": [ "]", { "a": "{,:" } , [[2], -3.5,null
    ] ],
  "" : "\\",
  "é": {}, "\\": "\\\"", "last"
    : true
}
`;

describe("every value of a JSON text is found, with its key", () => {
  test.each([
    ["a text", TEXT],
    ["a text with a byte order mark", `\uFEFF${TEXT}`],
    ["a text with the line ends of Windows", TEXT.replaceAll("\n", "\r\n")],
    ["a text without spaces", JSON.stringify(JSON.parse(TEXT))],
  ])("in %s", (_, text) => {
    const placeOf = jsonPlaces(text);
    const expectPlaces = (node: unknown, keys: string[]): void => {
      const { key, value } = placeOf(keys)!;
      const begins = typeof node !== "object" || node === null ? JSON.stringify(node) : Array.isArray(node) ? "[" : "{";
      expect(text.slice(value)).toSatisfy((rest: string) => rest.startsWith(begins));
      expect(key === undefined ? undefined : /"(?:[^"\\]|\\.)*"/.exec(text.slice(key))?.[0]).toSatisfy(
        (found?: string) => found === undefined || JSON.parse(found) === keys.at(-1),
      );
      for (const [name, member] of typeof node === "object" ? Object.entries(node ?? {}) : [])
        expectPlaces(member, [...keys, name]);
    };
    expectPlaces(parsedJson(text), []);
    expect(placeOf(["list", "2", "0", "0"])!.key).toBeUndefined();
    expect(placeOf(["a/b~c"])!.key).toBe(text.indexOf('"a/b~c"'));
    expect([["none"], ["list", "9"], ["é", "a"], ["", "a"]].map(placeOf)).toEqual(Array(4).fill(undefined));
  });
});

test("the position of a value, or of its key, is a line and a column from 1", () => {
  const positionOf = jsonPositions('{\r\n\r\n  "a": {\n"b": [\t0, 1 ] }}');
  expect(positionOf([], true)).toEqual({ line: 1, col: 1 });
  expect(positionOf(["a", "b"], true)).toEqual({ line: 4, col: 1 });
  expect(positionOf(["a", "b"], false)).toEqual({ line: 4, col: 6 });
  expect(positionOf(["a", "b", "1"], true)).toEqual({ line: 4, col: 11 });
  expect(positionOf(["a", "c"], true)).toBeUndefined();
});

describe("a text that is left to the parser of YAML", () => {
  test.each<[name: string, text: string]>([
    ["is YAML", "a: 1"],
    ["has a comment", '{ "a": 1 } # one'],
    ["ends too early", '{ "a": 1'],
    ["gives a key twice", '{ "a": { "b:": 1, "b:": 2 } }'],
    ["gives a key twice, once with an escape", String.raw`{ "a": 1, "\u0061": 2 }`],
    ["is no object", '["a"]'],
  ])("%s", (_, text) => {
    expect(parsedJson(text)).toBeUndefined();
  });

  test("is not JSON with colons in strings, the same key in several objects, or a key of all objects", () => {
    const value = JSON.parse(
      '{ "a:": ":", "b": { "a:": 1 }, "__proto__": { "c": "\\":" }, "d": [{ "a:": null }] }',
    ) as object;
    expect(parsedJson(JSON.stringify(value))).toEqual(value);
  });
});
