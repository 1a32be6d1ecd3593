import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { bundle } from "openapi-contract/bundle";
import { contractFiles } from "../src/contract-files.ts";

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "contract-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

const ROOT = `openapi: 3.1.1
info: { title: Shop, version: 1.0.0 } # kept as written
paths:
  /books:
    $ref: "../paths/books.yaml#/books"
components: { schemas: { Title: { type: string } } }
`;
const BOOKS = `books:
  get:
    operationId: listBooks
    responses:
      "200":
        description: The books.
        content:
          application/json:
            schema:
              oneOf: [{ $ref: ./book-one.json }]
              discriminator: { propertyName: kind, mapping: { one: ./book-one.json } }
`;
const BOOK = JSON.stringify({
  type: "object",
  properties: { title: { $ref: "../specs/shop.yaml#/components/schemas/Title" }, next: { $ref: "#" } },
});

test("the files of a contract in several folders are brought along, and stay one contract", async () => {
  const folder = folderWith({ "specs/shop.yaml": ROOT, "paths/books.yaml": BOOKS, "paths/book-one.json": BOOK });
  const files = contractFiles(join(folder, "specs/shop.yaml"));
  expect([...files.keys()]).toEqual(["openapi.yaml", "paths/books.yaml", "paths/book-one.json"]);
  expect(files.get("openapi.yaml")).toBe(ROOT.replace('"../paths', '"./paths'));
  expect(files.get("paths/book-one.json")).toContain('"../openapi.yaml#/components/schemas/Title"');
  const moved = folderWith(Object.fromEntries(files));
  const [before, after] = [join(folder, "specs/shop.yaml"), join(moved, "openapi.yaml")];
  const operation = async (file: string) => ((await bundle(file)).paths as Record<string, object>)["/books"];
  expect(await operation(after)).toEqual(await operation(before));
});

// As in the contract of DigitalOcean.
test("a field of an example that is called mapping refers to no file", () => {
  const example = { mapping: { base: "company.map-1" } };
  const document = { openapi: "3.1.1", components: { schemas: { Settings: { example } } } };
  const folder = folderWith({ "shop.json": JSON.stringify(document) });
  expect([...contractFiles(join(folder, "shop.json")).keys()]).toEqual(["openapi.yaml"]);
});

test("a file that an extension names is copied as it is if it exists", () => {
  const document = { openapi: "3.1.1", "x-topics": [{ $ref: "intro.md" }, { $ref: "missing.md" }] };
  const folder = folderWith({ "shop.json": JSON.stringify(document), "intro.md": 'a: "unclosed' });
  const files = contractFiles(join(folder, "shop.json"));
  expect([...files.keys()]).toEqual(["openapi.yaml", "intro.md"]);
  expect(files.get("intro.md")).toBe('a: "unclosed');
});

test("a file with the name of one of the service gets another place", () => {
  const folder = folderWith({ "shop.yaml": "a: { externalValue: ./README.md }", "README.md": "# Shop" });
  const files = contractFiles(join(folder, "shop.yaml"));
  expect(Object.fromEntries(files)).toEqual({
    "openapi.yaml": 'a: { externalValue: "./files/README.md" }',
    "files/README.md": "# Shop",
  });
});

test("a reference from the root of a host stays as it is", () => {
  const folder = folderWith({ "shop.yaml": "a: { $ref: /schemas/book.json }" });
  expect(contractFiles(join(folder, "shop.yaml")).get("openapi.yaml")).toBe("a: { $ref: /schemas/book.json }");
});

test("a contract in JSON becomes YAML with the same content, without a byte order mark", () => {
  const document = { openapi: "3.0.3", info: { title: "Shop", version: "1" }, paths: {} };
  const folder = folderWith({ "shop.json": `\uFEFF${JSON.stringify(document)}` });
  const text = contractFiles(join(folder, "shop.json")).get("openapi.yaml")!;
  expect(text).toContain("openapi: 3.0.3\n");
  expect(parse(text)).toEqual(document);
});

test.each([
  ["a missing contract", {}, /^There is no file .*shop\.yaml\. Name the contract/],
  ["a folder", { "shop.yaml/a.yaml": "" }, /shop\.yaml is not a file\. Name the contract/],
  ["an empty file", { "shop.yaml": "\n" }, /shop\.yaml is empty\. Name the contract/],
  ["a binary file", { "shop.yaml": "\u0089PNG\r\n\0" }, /shop\.yaml is not a text file in UTF-8\. Name the contract/],
  ["a file of text", { "shop.yaml": "hello" }, /shop\.yaml is not an OpenAPI document\. Name the contract/],
  ["a JSON array", { "shop.yaml": "[]" }, /shop\.yaml is not an OpenAPI document\. Name the contract/],
  [
    "a broken reference",
    { "shop.yaml": "a: { $ref: none.yaml }" },
    /shop\.yaml refers to .*none\.yaml, which cannot be read \(ENOENT\)/,
  ],
  ["a file that is no YAML", { "shop.yaml": 'a: "unclosed' }, /shop\.yaml cannot be parsed\. Missing closing/],
])("%s is an error with its place", (_, files, message) => {
  const folder = folderWith(files);
  expect(() => contractFiles(join(folder, "shop.yaml"))).toThrow(message);
});
