import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { temporaryFolder } from "@platform/test-support/temporary";
import { expect, test } from "vitest";
import { contractChanges } from "../src/comparison/compare.ts";
import { bundle } from "../src/generate/bundle.ts";
import { ROOT } from "../src/paths.ts";

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
