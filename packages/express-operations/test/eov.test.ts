import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { compileRequestSchemas, EOV_READ, faultsOf, responseEov } from "../src/eov/eov.ts";

const require = createRequire(import.meta.url);

test("the installed version of express-openapi-validator is the one that src/eov/eov.ts was written for", async () => {
  const main = require.resolve("express-openapi-validator");
  const { version } = JSON.parse(await readFile(new URL("../package.json", `file://${main}`), "utf8")) as {
    version: string;
  };
  const message = `Its source has changed. Compare dist/ of ${EOV_READ} and ${version} at the places that src/eov/eov.ts lists, run all tests of this package, and then name ${version} in EOV_READ.`;
  expect(version, message).toBe(EOV_READ);
});

const string = { type: "string" };
const cat = { type: "object", required: ["kind"], properties: { kind: string } };

/** Returns a document with one operation. */
function documentOf(operation: object) {
  const document = { openapi: "3.0.3", info: { title: "", version: "" }, paths: { "/at": { post: operation } } };
  return { ...document, components: { schemas: { Cat: cat, Dog: cat } } };
}

function dataOf(query: Record<string, unknown>, body?: unknown) {
  return { query, params: {}, headers: {}, cookies: {}, body };
}

describe("the internals that src/eov/eov.ts relies on are unchanged", () => {
  const json = (schema: object) => ({
    requestBody: { required: false, content: { "application/json": { schema } } },
    responses: {},
  });

  test("compiled schemas are found by content type", async () => {
    const types = [undefined, "application/json"];
    const compiled = compileRequestSchemas(documentOf(json(cat)), "/at", "post", types);
    for (const type of types) {
      expect(compiled.get(type)).toEqual({ parameters: expect.any(Function), body: expect.any(Function) });
    }
  });

  test("a content type without schemas is an error", async () => {
    const compile = () => compileRequestSchemas(documentOf(json(cat)), "/at", "post", ["text/plain"]);
    expect(compile).toThrow("unsupported media type text/plain");
  });

  test("faults have keyword, place and schema", async () => {
    const compiled = compileRequestSchemas(documentOf(json(cat)), "/at", "post", ["application/json"]);
    const { body } = compiled.get("application/json")!;
    expect(body(dataOf({}, { kind: 1 }))).toBe(false);
    expect(faultsOf(body)).toMatchObject([
      { keyword: "type", location: "body", path: ["kind"], params: { type: "string" }, schema: string },
    ]);
    expect(body(dataOf({}, { kind: "x" }))).toBe(true);
    expect(faultsOf(body)).toEqual([]);
  });

  test("parameters are validated as they are, without coercion", async () => {
    const parameters = [{ name: "q", in: "query", schema: { type: "integer" } }];
    const compiled = compileRequestSchemas(documentOf({ parameters, responses: {} }), "/at", "post", [undefined]);
    expect(compiled.get(undefined)!.parameters(dataOf({ q: 1 }))).toBe(true);
    expect(compiled.get(undefined)!.parameters(dataOf({ q: "1" }))).toBe(false);
  });

  test("the validation of a response returns the errors of this response", async () => {
    const responses = { 200: { description: "", content: { "application/json": { schema: cat } } } };
    const document = documentOf({});
    const validate = responseEov({ ...document, paths: { "/at": { get: { responses } } } }, "/at");
    expect(validate(200, { kind: "x" })).toEqual([]);
    expect(validate(200, { kind: 1 })).toMatchObject([{ path: "/response/kind", message: "must be string" }]);
  });
});
