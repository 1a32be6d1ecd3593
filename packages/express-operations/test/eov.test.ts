import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { RequestValidator } from "express-openapi-validator/dist/middlewares/openapi.request.validator.js";
import { afterEach, describe, expect, test, vi } from "vitest";
import { compileRequestSchemas, EOV_READ, faultsOf, responseEov } from "../src/eov/eov.ts";
import { anyJson, serveEcho } from "./echo.ts";

describe("express-openapi-validator", () => {
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
});

describe("what is switched off", () => {
  /** The method with which express-openapi-validator (EOV) compiles schemas, and the private holders of the schemas. */
  const compiler = RequestValidator.prototype as unknown as { buildMiddleware: (this: Holders) => void };
  type Holders = Record<"ajv" | "ajvBody", { getSchema: () => unknown }>;

  /** Makes EOV compile `schema` in place of each schema of a request. */
  function replaceSchemas(schema: unknown): void {
    vi.spyOn(compiler, "buildMiddleware").mockImplementation(function disabled(this: Holders) {
      for (const holder of [this.ajv, this.ajvBody]) holder.getSchema = () => schema;
    });
  }

  afterEach(() => void vi.restoreAllMocks());

  const integer = { type: "integer", maximum: 9 };
  const object = { type: "object", properties: { size: integer } };
  const parameter = (place: string, more: object = { schema: integer }) => ({ name: "p", in: place, ...more });
  const body = (type: string) => ({ requestBody: { content: { [type]: { schema: object } } } });

  /** An operation with one place for a value, and an invalid request for it. */
  const OPERATIONS: [place: string, operation: object, target: string, init?: RequestInit][] = [
    ["path", { parameters: [parameter("path", { required: true, schema: integer })] }, "/path/10"],
    ["query", { parameters: [parameter("query")] }, "/query/x?p=10"],
    [
      "deepObject",
      { parameters: [parameter("query", { style: "deepObject", schema: object })] },
      "/deepObject/x?p[size]=10",
    ],
    ["exploded", { parameters: [parameter("query", { schema: object })] }, "/exploded/x?size=10"],
    [
      "content",
      { parameters: [parameter("query", { content: { "application/json": { schema: object } } })] },
      `/content/x?p=${encodeURIComponent('{"size":10}')}`,
    ],
    ["header", { parameters: [parameter("header")] }, "/header/x", { headers: { p: "10" } }],
    ["cookie", { parameters: [parameter("cookie")] }, "/cookie/x", { headers: { Cookie: "p=10" } }],
    [
      "json",
      body("application/json"),
      "/json/x",
      { body: '{"size":10}', headers: { "Content-Type": "application/json" } },
    ],
    ["form", body("application/x-www-form-urlencoded"), "/form/x", { body: new URLSearchParams({ size: "10" }) }],
    ["multipart", body("multipart/form-data"), "/multipart/x", { body: formOf({ size: "10" }) }],
    [
      "text",
      { requestBody: { content: { "text/plain": { schema: { type: "string", maxLength: 1 } } } } },
      "/text/x",
      { body: "10", headers: { "Content-Type": "text/plain" } },
    ],
  ];

  function formOf(fields: Record<string, string>): FormData {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    return form;
  }

  const paths = Object.fromEntries(
    OPERATIONS.map(([place, operation]) => [
      place === "path" ? "/path/{p}" : `/${place}/x`,
      { post: { operationId: place, responses: anyJson, ...operation } },
    ]),
  );

  describe("an invalid value", () => {
    test.each(OPERATIONS)("in %s is rejected by the schemas of EOV alone", async (_, __, target, init) => {
      const status = async () => {
        await using server = await serveEcho(paths);
        return (await fetch(server.baseUrl + target, { method: "POST", ...init })).status;
      };
      expect(await status()).toBe(400);
      replaceSchemas(() => true);
      expect(await status()).toBe(200);
      replaceSchemas(undefined);
      expect(await status()).toBe(500);
    });
  });
});
