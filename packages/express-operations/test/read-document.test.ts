import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { readDocument } from "../src/documents/read-document.ts";
import { implement } from "../src/index.ts";
import { listen } from "./listen.ts";

const home = mkdtempSync(join(tmpdir(), "documents-"));
afterAll(() => rmSync(home, { recursive: true }));

let count = 0;
/** Writes files into a folder of their own. Returns the path of the first one. */
function write(files: Record<string, string>): string {
  const folder = join(home, String(count++));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return join(folder, Object.keys(files)[0]!);
}

const read = async (files: Record<string, string>) => (await readDocument(write(files))) as { components?: object };
/** A document whose `addBook` takes and returns a schema. */
const withSchema = (schema: string, rest = "") => `
openapi: 3.1.1
paths:
  /books:
    post:
      operationId: addBook
      requestBody: { required: true, content: { application/json: { schema: ${schema} } } }
      responses: { 200: { description: Added, content: { application/json: { schema: ${schema} } } } }
${rest}`;

async function statusesOf(path: string, ...bodies: unknown[]): Promise<number[]> {
  const handlers = { addBook: ({ body }: { body: unknown }) => ({ status: 200, body }) };
  const shop = implement()({
    document: await readDocument(path),
    handlers: handlers as never,
    checkResponses: "always",
  });
  await using server = await listen(shop);
  const headers = { "Content-Type": "application/json" };
  const send = async (body: unknown) =>
    (await fetch(`${server.baseUrl}/books`, { method: "POST", headers, body: JSON.stringify(body) })).status;
  return await Promise.all(bodies.map(send));
}

test("YAML and JSON files are read alike, by path or by URL", async () => {
  const yaml = write({ "openapi.yaml": withSchema("{ type: string }") });
  const document = await readDocument(yaml);
  expect(document).toMatchObject({ openapi: "3.1.1", paths: { "/books": { post: { operationId: "addBook" } } } });
  const json = write({ "openapi.json": `\uFEFF${JSON.stringify(document)}` });
  expect(await readDocument(json)).toEqual(document);
  expect(await readDocument(pathToFileURL(yaml))).toEqual(document);
});

test("path items, parameters and responses of other files are put in place of their references", async () => {
  const document = await read({
    "openapi.yaml": "openapi: 3.1.1\npaths: { /books: { $ref: paths/books.yaml, summary: Own } }\n",
    "paths/books.yaml": `
summary: Theirs
get:
  operationId: listBooks
  parameters: [{ $ref: "../shared.json#/limit" }]
  responses: { 200: { $ref: "../shared.json#/found" } }`,
    "shared.json": JSON.stringify({
      limit: { $ref: "#/real~1limit" },
      "real/limit": { name: "limit", in: "query", schema: { type: "integer" } },
      found: { description: "Found" },
    }),
  });
  expect(document).toEqual({
    openapi: "3.1.1",
    paths: {
      "/books": {
        summary: "Own",
        get: {
          operationId: "listBooks",
          parameters: [{ name: "limit", in: "query", schema: { type: "integer" } }],
          responses: { 200: { description: "Found" } },
        },
      },
    },
  });
});

describe("schemas of other files", () => {
  test("become components, under the name of the component that refers to them, or else of their place", async () => {
    const components = 'components: { schemas: { Title: { $ref: "schemas/title.yaml" }, book: { type: string } } }';
    const document = await read({
      "openapi.yaml": withSchema("{ $ref: schemas/book.yaml }", components),
      "schemas/book.yaml": `
type: object
properties: { title: { $ref: title.yaml }, author: { $ref: "more.yaml#/$defs/Person" }, id: { $ref: "../openapi.yaml#/components/schemas/book" } }`,
      "schemas/title.yaml": "type: string\nminLength: 1\n",
      "schemas/more.yaml": "$defs: { Person: { type: object, properties: { name: { type: string } } } }",
    });
    expect(document.components).toEqual({
      schemas: {
        Title: { type: "string", minLength: 1 },
        book: { type: "string" },
        "book-2": {
          type: "object",
          properties: {
            title: { $ref: "#/components/schemas/Title" },
            author: { $ref: "#/components/schemas/Person" },
            id: { $ref: "#/components/schemas/book" },
          },
        },
        Person: { type: "object", properties: { name: { type: "string" } } },
      },
    });
    expect(JSON.stringify(document)).toContain('"schema":{"$ref":"#/components/schemas/book-2"}');
  });

  test("have the name of their component wherever they are referred to, and take no other name", async () => {
    const document = await read({
      "openapi.yaml": withSchema(
        "{ $ref: book.yaml }",
        `components:
  schemas:
    Book: { $ref: book.yaml }
    Described: { $ref: novel.yaml, description: Own }
    Person: { type: string }
    Unused: { $ref: "#/components/schemas/None" }`,
      ),
      "book.yaml": 'properties: { author: { $ref: "more.yaml#/components/schemas/Person" } }',
      "novel.yaml": "type: object",
      "more.yaml": "components: { schemas: { Person: { $ref: person.yaml } } }",
      "person.yaml": "type: object",
    });
    expect(JSON.stringify(document)).toContain('"schema":{"$ref":"#/components/schemas/Book"}');
    expect(document.components).toEqual({
      schemas: {
        Book: { properties: { author: { $ref: "#/components/schemas/Person-2" } } },
        Described: { $ref: "#/components/schemas/novel", description: "Own" },
        Person: { type: "string" },
        "Person-2": { $ref: "#/components/schemas/person" },
        Unused: { $ref: "#/components/schemas/None" },
        novel: { type: "object" },
        person: { type: "object" },
      },
    });
  });

  test("may refer to themselves and to each other", async () => {
    const path = write({
      "openapi.yaml": withSchema("{ $ref: book.yaml }"),
      "book.yaml": "type: object\nproperties: { sequel: { $ref: book.yaml }, author: { $ref: author.yaml } }",
      "author.yaml": 'type: object\nproperties: { books: { type: array, items: { $ref: "book.yaml#" } } }',
    });
    const books = (last: unknown) => ({ sequel: { author: { books: [{ sequel: last }] } } });
    expect(await statusesOf(path, books({}), books({ author: "Jane" }))).toEqual([200, 400]);
  });

  test("are found by a discriminator, by name and by mapping", async () => {
    const kind = (name: string) => `type: object\nrequired: [kind, ${name}]\nproperties: { kind: { type: string } }`;
    const path = write({
      "openapi.yaml": withSchema("{ $ref: item.yaml }"),
      "item.yaml": `
oneOf: [{ $ref: kinds.yaml#/Novel }, { $ref: ./map.yaml }]
discriminator: { propertyName: kind, mapping: { atlas: ./map.yaml } }`,
      "kinds.yaml": `Novel:\n  ${kind("plot").replaceAll("\n", "\n  ")}`,
      "map.yaml": kind("scale"),
    });
    expect(
      await statusesOf(path, { kind: "Novel", plot: 1 }, { kind: "atlas", scale: 1 }, { kind: "atlas", plot: 1 }),
    ).toEqual([200, 200, 400]);
  });

  test("may use anchors and $id", async () => {
    const path = write({
      "openapi.yaml": withSchema('{ $ref: "book.yaml#/$defs/Book" }'),
      "book.yaml":
        "$defs: { Book: { properties: { title: { $ref: '#title' } } }, T: { $anchor: title, type: string } }",
    });
    expect(await statusesOf(path, { title: "Emma" }, { title: 1 })).toEqual([200, 400]);
  });
});

test("merge keys and aliases of YAML are values, and references in examples stay as they are", async () => {
  const example = { $ref: "none.yaml" };
  const document = await read({
    "openapi.yaml": withSchema(
      "{ <<: *text, example: { $ref: none.yaml }, default: { $ref: none.yaml } }",
      "x-text: { $ref: none.yaml }",
    ).replace("paths:", "x-shared: &text { type: string, minLength: 2 }\npaths:"),
  });
  expect(document).toMatchObject({
    "x-text": example,
    paths: {
      "/books": {
        post: {
          requestBody: {
            content: { "application/json": { schema: { type: "string", minLength: 2, example, default: example } } },
          },
        },
      },
    },
  });
});

describe("an error names the file, the place and the remedy", () => {
  test.each<[fault: string, files: Record<string, string>, message: RegExp]>([
    [
      "a reference to another host",
      { "openapi.yaml": withSchema('{ $ref: "https://example.com/book.yaml" }') },
      /openapi\.yaml#\/paths\/~1books\/post\/requestBody\/content\/application~1json\/schema: The reference https:\/\/example\.com\/book\.yaml leads to another host\. Save its target beside the document/,
    ],
    [
      "a file that does not exist",
      { "openapi.yaml": withSchema("{ $ref: book.yaml }") },
      /schema: The reference book\.yaml leads to \S*book\.yaml, which cannot be read \(ENOENT\)\. Correct the path/,
    ],
    [
      "a place that does not exist",
      { "openapi.yaml": withSchema('{ $ref: "book.yaml#/Book" }'), "book.yaml": "Novel: {}" },
      /schema: The reference book\.yaml#\/Book has no target in \S*book\.yaml\. Correct it/,
    ],
    [
      "an anchor that no schema has",
      { "openapi.yaml": withSchema('{ $ref: "book.yaml#book" }'), "book.yaml": "Novel: {}" },
      /schema: The reference book\.yaml#book leads to no schema of \S*book\.yaml\. Refer to one by its path/,
    ],
    [
      "a fault in the syntax of another file",
      { "openapi.yaml": withSchema("{ $ref: book.yaml }"), "book.yaml": "type: object\ntype: string\n" },
      /book\.yaml: Map keys must be unique at line 2, column 1/,
    ],
    ["a fault in JSON", { "openapi.json": '{"openapi":}' }, /openapi\.json: Unexpected token/],
    ["an empty file", { "openapi.yaml": "" }, /openapi\.yaml is not an OpenAPI document\. Begin it with/],
    [
      "path items that refer to each other",
      {
        "openapi.yaml": "openapi: 3.1.1\npaths: { /books: { $ref: one.yaml } }\n",
        "one.yaml": "$ref: two.yaml",
        "two.yaml": "$ref: one.yaml",
      },
      /one\.yaml#: The reference (?:one|two)\.yaml leads back to itself\. Remove one\./,
    ],
    [
      "a path item that is a text",
      { "openapi.yaml": "openapi: 3.1.1\npaths: { /books: { $ref: one.yaml } }\n", "one.yaml": "books" },
      /one\.yaml# is not an object, which a reference at #\/paths\/~1books needs/,
    ],
    [
      "an alias of the value around it",
      { "openapi.yaml": "openapi: 3.1.1\npaths: &all { /books: *all }\n" },
      /openapi\.yaml: A value is more than 500 levels deep, or has an alias of the value around it\. Use \$ref/,
    ],
    [
      "aliases that multiply",
      {
        "openapi.yaml": Array.from(
          { length: 9 },
          (_, at) =>
            `a${at}: &a${at} [${Array(9)
              .fill(at === 0 ? "x" : `*a${at - 1}`)
              .join()}]`,
        ).join("\n"),
      },
      /openapi\.yaml: Excessive alias count/,
    ],
    [
      "a file that is too large",
      { "openapi.yaml": "#".repeat(2 ** 26 + 1) },
      /openapi\.yaml: The files of the document have more/,
    ],
    [
      "a value that is too deep",
      { "openapi.json": `{"openapi":"3.1.1","x":${"[".repeat(600)}${"]".repeat(600)}}` },
      /openapi\.json: A value is more than 500 levels deep/,
    ],
  ])("%s", async (_fault, files, message) => {
    await expect(read(files)).rejects.toThrow(message);
  });

  test("a document that does not exist", async () => {
    await expect(readDocument("none.yaml")).rejects.toThrow(
      "The document none.yaml cannot be read (ENOENT). Correct the path, or write the file.",
    );
  });
});
