import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { bundle, bundleWithFiles } from "../src/bundle.ts";
import { lint } from "../src/lint/lint.ts";

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "contract-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

test("of two schemas with one file name, the second gets a number", async () => {
  const response = (file: string) =>
    `{ description: "", content: { application/json: { schema: { $ref: ${file} } } } }`;
  const folder = folderWith({
    "shop.yaml": `openapi: 3.1.1
info: { title: Shop, version: 1.0.0 }
paths:
  /books: { get: { responses: { "200": ${response("books/title.yaml")} } } }
  /discs: { get: { responses: { "200": ${response("discs/title.yaml")} } } }
`,
    "books/title.yaml": "type: string",
    "discs/title.yaml": "type: object",
  });
  const { components } = await bundle(join(folder, "shop.yaml"));
  expect(components?.schemas).toEqual({ title: { type: "string" }, "title-2": { type: "object" } });
});

test("a reference that is relative to an $id becomes a pointer, and is no file", async () => {
  const schemas = `
    O: { $id: "https://shop.example/o.json", type: object }
    S: { $id: "https://shop.example/s.json", allOf: [{ $ref: o.json }, { $ref: "#/$defs/name" }], $defs: { name: {} } }`;
  const folder = folderWith({
    "shop.yaml": `openapi: 3.1.1\ninfo: { title: Shop, version: 1.0.0 }\npaths: {}\ncomponents:\n  schemas:${schemas}`,
  });
  const { components } = await bundle(join(folder, "shop.yaml"));
  expect(components?.schemas?.["S"]).toEqual({
    allOf: [{ $ref: "#/components/schemas/O" }, { $ref: "#/components/schemas/S/$defs/name" }],
    $defs: { name: {} },
  });
});

test("a contract has components, and an alias is an object of its own", async () => {
  const folder = folderWith({
    "shop.yaml": 'openapi: 3.1.1\ninfo: { title: Shop, version: "1" }\nx-a: &a { b: 1 }\nx-c: *a\n',
  });
  const document = (await bundle(join(folder, "shop.yaml"))) as { components?: object; "x-a"?: object; "x-c"?: object };
  expect(document).toMatchObject({ "x-c": { b: 1 }, components: {} });
  expect(document["x-c"]).not.toBe(document["x-a"]);
});

// As in the contract of Shutterstock.
test("a reference in an example is replaced by its target, and is no schema", async () => {
  const folder = folderWith({
    "shop.yaml": `openapi: 3.1.1
info: { title: Shop, version: 1.0.0 }
paths:
  /books:
    post:
      requestBody:
        content:
          application/json:
            schema: { $ref: "#/components/schemas/Books" }
            examples:
              default: { value: { $ref: "#/components/schemas/Books/example" } }
              shared: { $ref: "#/components/examples/Shared" }
      responses: { default: { $ref: "#/components/responses/Done" } }
components:
  schemas:
    Books: { type: array, example: [a, { $ref: "#/components/schemas/Title/example" }] }
    Title: { type: object, example: { type: title }, properties: { example: { $ref: "#/components/schemas/Books" } } }
  examples: { Shared: { value: [b] } }
  responses: { Done: { description: "" } }
`,
  });
  const { paths, components } = await bundle(join(folder, "shop.yaml"));
  expect(paths!["/books"]).toMatchObject({
    post: {
      requestBody: {
        content: {
          "application/json": {
            schema: { $ref: "#/components/schemas/Books" },
            examples: {
              default: { value: ["a", { type: "title" }] },
              shared: { $ref: "#/components/examples/Shared" },
            },
          },
        },
      },
      responses: { default: { $ref: "#/components/responses/Done" } },
    },
  });
  expect(components!.schemas).toEqual({
    Books: { type: "array", example: ["a", { type: "title" }] },
    Title: {
      type: "object",
      example: { type: "title" },
      properties: { example: { $ref: "#/components/schemas/Books" } },
    },
  });
});

test("a reference inside an extension may lead nowhere, and is a warning", async () => {
  const folder = folderWith({
    "shop.yaml": `openapi: 3.1.1
info: { title: Shop, version: 1.0.0 }
x-topics: [{ content: { $ref: ./missing.md } }]
paths: { /books: { get: { x-shown: { $ref: "#/components/schemas/None" }, responses: { "200": { description: "" } } } } }
components: { schemas: { Book: { type: object, properties: { x-shelf: { type: string } } } } }
`,
  });
  const { paths } = await bundle(join(folder, "shop.yaml"));
  expect(paths).toMatchObject({ "/books": { get: { "x-shown": { $ref: "#/components/schemas/None" } } } });
  const unresolved = (await lint(join(folder, "shop.yaml"))).filter(({ rule }) => rule === "no-unresolved-refs");
  expect(unresolved).toMatchObject([{ kind: "warning", line: 4, message: expect.stringContaining("schemas/None") }]);
});

test("a reference of a property whose name begins with x- is no extension", async () => {
  const folder = folderWith({
    "shop.yaml": `openapi: 3.1.1
info: { title: Shop, version: 1.0.0 }
paths: {}
components: { schemas: { Book: { type: object, properties: { x-shelf: { $ref: "#/components/schemas/None" } } } } }
`,
  });
  await expect(bundle(join(folder, "shop.yaml"))).rejects.toThrow("Can't resolve $ref");
});

test("the files of a contract are those that it refers to, and itself", async () => {
  const folder = folderWith({
    "shop.yaml": `openapi: 3.1.1
info: { title: Shop, version: 1.0.0 }
paths: { /books: { $ref: paths/books.yaml } }
`,
    "paths/books.yaml": 'get: { responses: { default: { $ref: "../done.yaml" } } }',
    "done.yaml": 'description: ""',
  });
  const { files } = await bundleWithFiles(join(folder, "shop.yaml"));
  expect(files.toSorted()).toEqual(["done.yaml", "paths/books.yaml", "shop.yaml"].map((file) => join(folder, file)));
});

test.each<[name: string, text: string, message: string]>([
  [
    "other hosts",
    "components: { schemas: { A: { $ref: 'https://127.0.0.1:9/a.json' } } }",
    "start the mock with --allow-remote-refs",
  ],
  [
    "aliases that multiply",
    Array.from({ length: 30 }, (_, at) => `x-${at}: &a${at} [${at === 0 ? "1" : `*a${at - 1}, *a${at - 1}`}]`).join(
      "\n",
    ),
    "has aliases that repeat more than 1000000 values. Use $ref in place of some.",
  ],
  ["an alias of the value around it", "x-a: &a [*a]", "has an alias of the value around it. Write that value out."],
])("a contract is refused with the place for %s", async (_, text, message) => {
  const shop = `openapi: 3.1.1\ninfo: { title: a, version: "1" }\npaths: {}\n${text}\n`;
  const file = join(folderWith({ "shop.yaml": shop }), "shop.yaml");
  await expect(bundle(file)).rejects.toThrow(message);
  await expect(bundle(file)).rejects.toThrow("shop.yaml");
});

test.each([
  [
    "a key that is given twice",
    '{ "openapi": "3.1.1",\n  "info": { "title": "a", "title": "b" } }',
    'shop.json:2:27  The field "title" is given twice',
  ],
  ["a text that ends too early", '{ "openapi": "3.1.1"', "shop.json:1:21  "],
])("a contract of JSON is refused with the place and the remedy for %s", async (_, text, message) => {
  await expect(bundle(join(folderWith({ "shop.json": text }), "shop.json"))).rejects.toThrow(message);
});

test("references to other hosts are read if this is allowed", async () => {
  const server = createServer((_, response) => response.end('{"type":"integer"}')).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const $ref = `http://127.0.0.1:${port}/a.json`;
  const shop = {
    openapi: "3.1.1",
    info: { title: "a", version: "1" },
    paths: {},
    components: { schemas: { A: { $ref } } },
  };
  const file = join(folderWith({ "shop.json": JSON.stringify(shop) }), "shop.json");
  const { components } = await bundle(file, { allowRemoteRefs: true });
  expect(components?.schemas).toMatchObject({ a: { type: "integer" } });
  await expect(bundle(file)).rejects.toThrow($ref);
});

test("a contract with the device flow of OpenAPI 3.2 is bundled", async () => {
  const flow = { deviceAuthorizationUrl: "https://a.example/d", tokenUrl: "https://a.example/t", scopes: { read: "" } };
  const device = { type: "oauth2", flows: { deviceAuthorization: flow } };
  const contract = { openapi: "3.2.0", info: { title: "", version: "1" }, components: { securitySchemes: { device } } };
  const folder = folderWith({ "openapi.json": JSON.stringify(contract) });
  expect(await bundle(join(folder, "openapi.json"))).toMatchObject(contract);
  expect(await lint(join(folder, "openapi.json"))).not.toContainEqual(expect.objectContaining({ rule: undefined }));
});

test.each([
  ["", "Begin it with `openapi: 3.1.1`."],
  ["openapi: 3.3.0", "Begin it with `openapi: 3.1.1`."],
  ['swagger: "2.0"\npaths: {}', "Convert this Swagger 2.0: npx swagger2openapi --yaml"],
])("the document %j is refused, so that no change of it is missed", async (text, remedy) => {
  const folder = folderWith({ "shop.yaml": text });
  const message = `shop.yaml is not an OpenAPI document of version 3.0, 3.1 or 3.2. ${remedy}`;
  await expect(bundle(join(folder, "shop.yaml"))).rejects.toThrow(message);
});
