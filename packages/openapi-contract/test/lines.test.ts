import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { temporaryFolder } from "@platform/test-support/temporary";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { annotationChanges, contractChanges } from "../src/comparison/compare.ts";
import { bundle } from "../src/bundle.ts";
import { ROOT } from "../src/paths.ts";

describe("lines", () => {
  const CONTRACT = `openapi: 3.1.1
info: { title: Shop, version: 1.0.0 }
paths:
  /books:
    $ref: ./paths/books.yaml
components:
  schemas:
    Title: &title
      type: string
      maxLength: 9
    Subtitle: *title
`;

  const BOOKS = `post:
  operationId: addBook
  requestBody:
    content:
      application/json:
        schema:
          $ref: "../schemas.json#/Book"
  responses:
    "200":
      description: The book.
      content:
        application/json:
          schema:
            $ref: "../openapi.yaml#/components/schemas/Title"
`;

  const SCHEMAS = `{
  "Book": {
    "type": "object",
    "properties": {
      "title": { "$ref": "#/Word" },
      "pages": {
        "type": "integer",
        "maximum": 9
      }
    }
  },
  "Word": {
    "type": "string",
    "maxLength": 9
  }
}
`;

  test("a change has the file and the line of its part, also in a file that the contract refers to", async () => {
    const folder = await temporaryFolder();
    mkdirSync(join(folder, "paths"));
    const write = (files: Record<string, string>): void => {
      for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    };
    const contract = join(folder, "openapi.yaml");
    write({ "openapi.yaml": CONTRACT, "paths/books.yaml": BOOKS, "schemas.json": SCHEMAS });
    const before = await bundle(contract);
    const placesAfter = async (files: Record<string, string>): Promise<string[]> => {
      write(files);
      const changes = await contractChanges(before, await bundle(contract), contract);
      return changes.map(({ at }) => `${relative(folder, join(ROOT, at!.file)).replaceAll("\\", "/")}:${at!.line}`);
    };

    expect(await placesAfter({ "schemas.json": SCHEMAS.replace('"maximum": 9', '"maximum": 8') })).toEqual([
      "schemas.json:8",
    ]);
    expect(await placesAfter({ "schemas.json": SCHEMAS.replace('"maxLength": 9', '"maxLength": 8') })).toEqual([
      "schemas.json:14",
    ]);
    const summary = BOOKS.replace("post:\n", "post:\n  deprecated: true\n");
    expect(await placesAfter({ "schemas.json": SCHEMAS, "paths/books.yaml": summary })).toEqual(["paths/books.yaml:2"]);
    const longer = CONTRACT.replace("maxLength: 9", "maxLength: 8");
    expect(new Set(await placesAfter({ "openapi.yaml": longer, "paths/books.yaml": BOOKS }))).toContain(
      "openapi.yaml:10",
    );
  });

  const SHOP = String.raw`{
  "openapi": "3.1.1",
  "info": { "title": "Shop", "version": "1.0.0" },
  "paths": {
    "/~books/{id}": {
      "post": {
        "parameters": [
          { "name": "id", "in": "path", "required": true, "schema": { "type": "string" } },
          {
            "name": "page", "in": "query",
            "schema": { "type": "integer", "maximum": 9 }
          }
        ],
        "requestBody": {
          "content": {
            "application/json": { "schema": { "$ref": "#/components/schemas/Book~0" } }
          }
        },
        "responses": { "200": { "description": "\\" } }
      }
    }
  },
  "components": {
    "schemas": {
      "Book~": {
        "type": "object",
        "properties": {
          "properties": {
            "type": "object",
            "properties": {
              "\u00e9\"}": { "type": "string", "maxLength": 7 },
              "maxLength": { "type": "string",
                "maxLength": 8 }
            }
          }
        }
      }
    }
  }
}
`;
  const inYaml = stringify(JSON.parse(SHOP));

  test.each<[name: string, shop: string, edit: [from: RegExp, to: string], line: number]>([
    ["an item of an array", SHOP, [/(maximum\W+)9/, "$18"], 11],
    ["a key with escapes", SHOP, [/(maxLength\W+)7/, "$16"], 31],
    ["a key that its object has too", SHOP, [/(maxLength\W+)8/, "$16"], 33],
    ["a path with escapes", SHOP, [/"parameters"/, '"deprecated": true,\n$&'], 7],
    ["a text with the line ends of Windows", SHOP.replaceAll("\n", "\r\n"), [/(maxLength\W+)8/, "$16"], 33],
    ["a text with a byte order mark", `\uFEFF${SHOP}`, [/(maximum\W+)9/, "$18"], 11],
    ["a text on one line", JSON.stringify(JSON.parse(SHOP)), [/(maximum\W+)9/, "$18"], 1],
    ["an item of an array of YAML", inYaml, [/(maximum: )9/, "$18"], lineOf(inYaml, "maximum: 9")],
    ["a key of YAML that its object has too", inYaml, [/(maxLength: )8/, "$16"], lineOf(inYaml, "maxLength: 8")],
    [
      "YAML with the line ends of Windows",
      inYaml.replaceAll("\n", "\r\n"),
      [/(maxLength: )8/, "$16"],
      lineOf(inYaml, "maxLength: 8"),
    ],
    ["YAML with a byte order mark", `\uFEFF${inYaml}`, [/(maximum: )9/, "$18"], lineOf(inYaml, "maximum: 9")],
    ["JSON with a comment", `${SHOP}# the end`, [/(maximum\W+)9/, "$18"], 11],
  ])("a change has its line in %s", async (_, shop, [from, to], line) => {
    const contract = join(await temporaryFolder(), "openapi.txt");
    writeFileSync(contract, shop);
    const before = await bundle(contract);
    writeFileSync(contract, shop.replace(from, to));
    const changes = await contractChanges(before, await bundle(contract), contract);
    expect(changes.map(({ at }) => at?.line)).toEqual([line]);
  });
});

function lineOf(text: string, part: string): number {
  return text.slice(0, text.indexOf(part)).split("\n").length;
}

describe("annotations", () => {
  type Node = Record<string, unknown>;

  const found = (before: Node, after: Node) =>
    annotationChanges({ before, after }).map(({ place, subject, what }) => `${place}: ${subject} ${what}`);
  const operation = (node: Node) => ({ paths: { "/pets": { get: node } } });

  describe("a user-defined name is not a description", () => {
    test.each(
      "paths webhooks callbacks responses headers content links encoding variables schemas parameters requestBodies securitySchemes pathItems flows properties patternProperties dependentSchemas $defs".split(
        " ",
      ),
    )("below %s", (map) => {
      const node = (description: unknown) => ({ openapi: "3.1.1", holder: { [map]: { description } } });
      expect(found(node("a"), node("b"))).toEqual([]);
      expect(found(node({ description: "a" }), node({ description: "b" }))).toEqual([
        `holder/${map}/description: \`description\` changes`,
      ]);
    });

    test.each("default enum const security required dependentRequired mapping scopes".split(" "))(
      "in %s",
      (keyword) => {
        const node = (description: string) => ({ holder: { [keyword]: { description } } });
        expect(found(node("a"), node("b"))).toEqual([]);
      },
    );
  });

  describe("an extension", () => {
    test.each(
      "x-deprecated-at x-sunset x-successor x-allow-unknown-query-parameters x-eov-allow-unknown-query-parameters".split(
        " ",
      ),
    )("%s is not an annotation", (name) => {
      expect(found(operation({}), operation({ [name]: "a" }))).toEqual([]);
    });

    test.each(["x-owner", "x-sunset-note", "x-x-sunset"])("%s is an annotation", (name) => {
      expect(found(operation({}), operation({ [name]: "a" }))).toEqual([`GET /pets: \`${name}\` is added`]);
    });
  });

  describe("a change of a description is reported", () => {
    test.each<[name: string, before: Node, after: Node, expected: string[]]>([
      ["of the document", { tags: [] }, { tags: [{ name: "a" }] }, ["the document: `tags` changes"]],
      ["of its info", { info: { version: "1" } }, { info: { version: "2" } }, ["info: `version` changes"]],
      ["of a path", { paths: { "/a": { summary: "a" } } }, { paths: { "/a": {} } }, ["paths//a: `summary` is removed"]],
      ["of an operation", operation({ summary: "a" }), operation({ summary: "b" }), ["GET /pets: `summary` changes"]],
      [
        "of a part of an operation",
        operation({ requestBody: { description: "a" } }),
        operation({ requestBody: { description: "b" } }),
        ["GET /pets: `description` of requestBody changes"],
      ],
      [
        "far below a component",
        { components: { schemas: { Pet: { items: { description: "a" } } } } },
        { components: { schemas: { Pet: { items: { description: "b" } } } } },
        ["components/schemas/Pet/items: `description` changes"],
      ],
      ["but not after a new reference", { a: { description: "a" } }, { a: { $ref: "#/b", description: "b" } }, []],
      ["but not after a removed reference", { a: { $ref: "#/b", description: "b" } }, { a: { description: "a" } }, []],
      [
        "beside an unchanged reference",
        { a: { $ref: "#/b", title: "a" } },
        { a: { $ref: "#/b" } },
        ["a: `title` is removed"],
      ],
      [
        "in a map with a field that looks like a reference",
        { a: { properties: { $ref: {}, b: { title: "a" } } } },
        { a: { properties: { b: { title: "b" } } } },
        ["a/properties/b: `title` changes"],
      ],
      ["but not of null", { a: null }, { a: null }, []],
      ["but not if an object becomes null", { a: { title: "a" } }, { a: null }, []],
      ["but not if a list becomes an object", { a: [{ title: "a" }] }, { a: { title: "b" } }, []],
    ])("%s", (_name, before, after, expected) => {
      expect(found(before, after)).toEqual(expected);
    });

    test.each(["in", "name", "url", "$ref", "type"])("in a list with items identified by %s", (key) => {
      const [one, other] = [{ [key]: "a" }, { [key]: "b" }];
      const before = { list: [one, { ...other, title: "a" }] };
      expect(found(before, { list: [{ ...other, title: "b" }, one] })).toEqual(["list/0: `title` changes"]);
      expect(found(before, { list: [one] })).toEqual([]);
    });

    test("in a list with equal items, by their order", () => {
      const list = (...titles: string[]) => ({ list: titles.map((title) => ({ type: "a", title })) });
      expect(found(list("a", "b"), list("a", "c"))).toEqual(["list/1: `title` changes"]);
      expect(found(list("a", "b"), list("c", "b"))).toEqual(["list/0: `title` changes"]);
    });

    test("with its place, except for a removal", () => {
      const after = { info: { title: "b" } };
      const changes = annotationChanges({ before: { info: { title: "a", summary: "a" } }, after });
      expect(changes.map(({ at }) => at)).toEqual([{ node: after.info, key: "title" }, undefined]);
      expect(changes.map((change) => Object.hasOwn(change, "at"))).toEqual([true, false]);
    });
  });
});
