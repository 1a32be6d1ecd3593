import { expect, test } from "vitest";
import { preferencesOf } from "../src/prefer.ts";

test.each([
  [undefined, {}],
  ["", {}],
  ["code=404", { code: 404 }],
  ["code=404, example=notFound", { code: 404, example: "notFound" }],
  [["code=404", "example=notFound"], { code: 404, example: "notFound" }],
  ["example=notFound,CODE=404", { code: 404, example: "notFound" }],
  ['example="two words, a comma; and a semicolon"', { example: "two words, a comma; and a semicolon" }],
  [String.raw`example="a \"quoted\" name"`, { example: 'a "quoted" name' }],
  ["code = 404 ; foo=bar, respond-async, wait=10", { code: 404 }],
  ["code=404, code=400", { code: 404 }], // the first one counts
  ["code=teapot", {}],
  ["code=100", {}], // no final response
  ['example=""', {}], // as if it had no value
  ["dynamic=true", { dynamic: true }],
  ["dynamic=true, seed=12", { dynamic: true, seed: 12 }],
  ["dynamic=false, seed=x", {}],
])("Prefer: %s", (header, preferences) => {
  expect(preferencesOf(header)).toEqual(preferences);
});
