import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { implement, type OpenApiDocument } from "../src/index.ts";
import { anyJson, serveEcho } from "./echo.ts";

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
