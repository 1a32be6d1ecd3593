// cspell:ignore Anull
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { implement, type OpenApiDocument } from "../src/index.ts";
import { exampleRequests } from "../src/conformance/conformance.ts";
import { operationsOf } from "openapi-document";
import { unsupportedFeatures } from "../src/validation/unsupported.ts";
import { anyJson, serveEcho } from "./echo.ts";

describe("OpenAPI 3.2", () => {
  const inQuerystring = (name: string, content: object = { "application/json": {} }) => ({
    name,
    in: "querystring",
    content,
  });
  const unsupported = (item: object, openapi = "3.2.0", isBodyStreamed = false) => {
    const document = { openapi, paths: { "/x": item } };
    return operationsOf(document).flatMap((entry) => unsupportedFeatures(document, entry, { isBodyStreamed }));
  };

  test.each([
    ["BREW", /^Operation "one" has the method BREW, which Node's HTTP server does not accept/],
    ["Copy", /^Operation "one" has the method Copy, which Node's HTTP server does not accept/],
    ["CONNECT", /^Operation "one" has the method CONNECT, which Node's HTTP server does not accept/],
    ["POST", /^Operation "one" has the method POST in additionalOperations: move it to the field post\.$/],
    ["QUERY", /^Operation "one" has the method QUERY in additionalOperations: move it to the field query\.$/],
  ])("the additional operation %s is refused", (method, sentence) => {
    const found = unsupported({ additionalOperations: { [method]: { operationId: "one" } } });
    expect(found).toEqual([expect.stringMatching(sentence)]);
  });

  test.each([
    [[inQuerystring("a"), inQuerystring("b")], "has 2 parameters in querystring: declare one."],
    [[inQuerystring("a", {})], 'has the querystring parameter "a" without one media type: give it content.'],
    [
      [inQuerystring("a", { "application/json": {}, "text/plain": {} })],
      'has the querystring parameter "a" without one media type: give it content.',
    ],
  ])("the parameters %j are refused", (parameters, fault) => {
    expect(unsupported({ get: { operationId: "one", parameters } })).toEqual([`Operation "one" ${fault}`]);
  });

  test("the parts of a streamed form are validated, so that its itemSchema is refused", () => {
    const fault =
      'Operation "one" has itemSchema in its request body multipart/form-data, which is not validated: remove it.';
    const content = { "multipart/form-data": { itemSchema: {} }, "multipart/mixed": { itemSchema: {} } };
    expect(unsupported({ post: { operationId: "one", requestBody: { content } } }, "3.2.0", true)).toEqual([fault]);
  });

  test("documents of other versions are not searched for features of OpenAPI 3.2", () => {
    const content = { "application/jsonl": { itemSchema: {} } };
    const item = { post: { requestBody: { content } }, query: {}, additionalOperations: { BREW: {} } };
    expect(unsupported(item, "3.1.2")).toEqual([]);
    expect(operationsOf({ openapi: "3.1.2", paths: { "/x": item } }).map(({ method }) => method)).toEqual(["post"]);
    expect(operationsOf({ openapi: "3.2.1", paths: { "/x": item } })).toHaveLength(3);
  });

  test("examples have their value in dataValue, and a whole query is written by its media type", () => {
    const target = (mediaType: string, dataValue: unknown) => {
      const parameter = {
        ...inQuerystring("all", { [mediaType]: {} }),
        required: true,
        examples: { one: { dataValue } },
      };
      const paths = { "/x": { get: { parameters: [parameter] } } };
      return exampleRequests({ openapi: "3.2.0", paths })[0]!.target;
    };
    expect(target("application/x-www-form-urlencoded", { foo: "a + b", bar: [true, 1] })).toBe(
      "/x?foo=a+%2B+b&bar=true&bar=1",
    );
    expect(target("application/json", { numbers: [1, 2], flag: null })).toBe(
      "/x?%7B%22numbers%22%3A%5B1%2C2%5D%2C%22flag%22%3Anull%7D",
    );
    expect(target("application/jsonpath", "$.a.b[1:1]")).toBe("/x?%24.a.b%5B1%3A1%5D");
  });

  test("references by $self and to media types that lead to each other are found, and the given document stays as it is", () => {
    const ref = (name: string) => ({ $ref: `https://a.example/o#/components/mediaTypes/${name}` });
    const document = {
      openapi: "3.2.0",
      $self: "https://a.example/o",
      paths: { "/x": { post: { requestBody: { required: true, content: { "application/json": ref("Alias") } } } } },
      components: { mediaTypes: { Alias: ref("Text"), Text: { schema: { type: "string", const: "hello" } } } },
    };
    const before = structuredClone(document);
    expect(exampleRequests(document)[0]!.body).toBe('"hello"');
    expect(document).toEqual(before);
  });

  test.each([
    [{ A: { $ref: "#/components/mediaTypes/B" }, B: { $ref: "#/components/mediaTypes/A" } }, "leads back to itself"],
    [{ A: { $ref: "other.json#/components/mediaTypes/A" } }, "leaves the document"],
    [{}, "has no target"],
  ])("a media type %j without a target is an error at start", (mediaTypes, message) => {
    const content = { "application/json": { $ref: "#/components/mediaTypes/A" } };
    const paths = { "/x": { post: { requestBody: { content } } } };
    const document = { openapi: "3.2.0", paths, components: { mediaTypes } };
    expect(() => exampleRequests(document)).toThrow(message);
  });
});

describe("Swagger 2.0", () => {
  const Pet = {
    type: "object",
    required: ["name"],
    properties: { name: { type: "string" }, age: { type: "integer", "x-nullable": true } },
  };
  const SWAGGER = {
    swagger: "2.0",
    info: { title: "Pets", version: "1" },
    consumes: ["application/json"],
    produces: ["application/json"],
    paths: {
      "/pets": {
        get: {
          operationId: "listPets",
          parameters: [
            { name: "tags", in: "query", type: "array", items: { type: "string" }, collectionFormat: "pipes" },
            { name: "ids", in: "query", type: "array", items: { type: "integer" }, collectionFormat: "multi" },
            { name: "sizes", in: "query", type: "array", items: { type: "integer" } },
            { $ref: "#/parameters/Limit" },
          ],
          responses: { 200: { description: "", schema: { type: "array", items: { $ref: "#/definitions/Pet" } } } },
        },
        post: {
          operationId: "addPet",
          security: [{ key: [] }],
          parameters: [{ name: "body", in: "body", required: true, schema: { $ref: "#/definitions/Pet" } }],
          responses: { 200: { description: "", schema: { $ref: "#/definitions/Pet" } } },
        },
      },
      "/photos": {
        post: {
          operationId: "addPhoto",
          consumes: ["multipart/form-data"],
          parameters: [
            { name: "title", in: "formData", type: "string", required: true },
            { name: "photo", in: "formData", type: "file" },
          ],
          responses: { 200: { description: "", schema: {} } },
        },
      },
    },
    parameters: { Limit: { name: "limit", in: "query", type: "integer", maximum: 10, default: 5 } },
    securityDefinitions: { key: { type: "apiKey", in: "header", name: "X-Key" } },
    definitions: { Pet },
  };

  test("a Swagger 2.0 document is refused with the command that converts it, and the converted document is served", async () => {
    const refusal = /npx swagger2openapi --outfile openapi\.json swagger\.json$/;
    expect(() => implement()({ document: SWAGGER as unknown as OpenApiDocument, handlers: {} })).toThrow(refusal);

    const { paths, components } = await converted(SWAGGER);
    for (const item of Object.values(paths ?? {}) as Record<string, { responses: object }>[])
      for (const operation of Object.values(item)) operation.responses = anyJson;
    await using server = await serveEcho(paths!, { openapi: "3.0.0", components: components! });
    const send = async (path: string, init?: RequestInit) => {
      const response = await fetch(server.baseUrl + path, init);
      return [response.status, await response.json()];
    };
    const query = { tags: ["a", "b"], ids: [1, 2], sizes: [3, 4], limit: 5 };
    expect(await send("/pets?tags=a|b&ids=1&ids=2&sizes=3,4")).toMatchObject([200, { operationId: "listPets", query }]);
    expect(await send("/pets?limit=11")).toMatchObject([400, {}]);
    const pet = (body: object, key: string) =>
      send("/pets", {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "X-Key": key, "Content-Type": "application/json" },
      });
    expect(await pet({ name: "Rex", age: null }, "good")).toMatchObject([200, { body: { name: "Rex", age: null } }]);
    expect(await pet({ name: "Rex", age: "x" }, "good")).toMatchObject([400, {}]);
    expect(await pet({ name: "Rex" }, "bad")).toMatchObject([401, {}]);
    const form = new FormData();
    expect(await send("/photos", { method: "POST", body: form })).toMatchObject([400, {}]);
    form.set("title", "Sea");
    form.set("photo", new File(["bytes"], "sea.png"));
    const photo = { body: { title: "Sea" }, files: [{ field: "photo", text: "bytes" }] };
    expect(await send("/photos", { method: "POST", body: form })).toMatchObject([200, photo]);
  });

  /** Runs the program of the refusal's command. */
  async function converted(document: object): Promise<OpenApiDocument> {
    const directory = await mkdtemp(join(tmpdir(), "swagger-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    await writeFile(join(directory, "swagger.json"), JSON.stringify(document));
    const { resolve } = createRequire(import.meta.url);
    const program = join(resolve("swagger2openapi/package.json"), "../swagger2openapi.js");
    const command = [program, "--outfile", "openapi.json", "swagger.json"];
    await promisify(execFile)(process.execPath, command, { cwd: directory });
    return JSON.parse(await readFile(join(directory, "openapi.json"), "utf8")) as OpenApiDocument;
  }
});
