import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GeneratedClient, generatedClient } from "./generated-client.ts";

const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
const features = readme.slice(readme.indexOf("## Features of OpenAPI"), readme.indexOf("## Names"));
const rows = Array.from(
  features.matchAll(/^\| (.+) \| `([\w.-]+)`: (.+) \|$/gm),
  ([, feature, file, title]) => [feature!, file!, title!] as const,
);

describe("the README's table of features", () => {
  test("has rows of both kinds", () => {
    expect(rows.length).toBeGreaterThan(20);
  });

  test.each(rows)("%s: %s has the test", (_feature, file, title) => {
    const path = join(import.meta.dirname, file);
    expect(existsSync(path)).toBe(true);
    expect(readFileSync(path, "utf8").replaceAll(/`\$\{[^}]*\}`/g, "%s")).toContain(title);
  });
});

const chapters = readme.slice(readme.indexOf("## Command line"));
const blocks = Array.from(chapters.matchAll(/^```ts\n([\s\S]*?)^```/gm), ([, code]) => code!);

/** The contract of the chapter "First use", with an operation that downloads. */
const document = {
  openapi: "3.1.1",
  info: { title: "Bookshop", version: "1.0.0" },
  security: [{ token: [] }],
  paths: {
    "/books/{bookId}": {
      parameters: [{ name: "bookId", in: "path", required: true, schema: { type: "integer" } }],
      get: {
        operationId: "getBook",
        responses: {
          200: { description: "", content: { "application/json": { schema: { $ref: "#/components/schemas/Book" } } } },
          404: { description: "" },
        },
      },
    },
    "/books/{bookId}/file": {
      parameters: [{ name: "bookId", in: "path", required: true, schema: { type: "integer" } }],
      get: {
        operationId: "downloadBook",
        responses: { 200: { description: "", content: { "application/pdf": {} } } },
      },
    },
  },
  components: {
    schemas: { Book: { type: "object", required: ["title"], properties: { title: { type: "string" } } } },
    securitySchemes: { token: { type: "http", scheme: "bearer" } },
  },
};

/** The values that the blocks use, and a client with the options that they make. */
const HEAD = `import { createThing } from "./index.ts";
import { document } from "./document.ts";
import { operations } from "./operations.ts";
const bookshop = createThing({ baseUrl: "https://books.example", token: "secret" });
void [document, operations, bookshop];
`;
const TAILS: [name: string, code: string][] = [
  ["oauth", 'createThing({ baseUrl: "", token: oauth });'],
  ["logged", 'createThing({ baseUrl: "", token: "", ...logged });'],
  ["validated", 'createThing({ baseUrl: "", token: "", ...validated });'],
];

let client: GeneratedClient;
beforeAll(async () => {
  client = await generatedClient(document, { security: { token: "token" }, features: ["testing"] });
});
afterAll(() => client[Symbol.dispose]());

test("each example after the chapter First use compiles", () => {
  expect(blocks.length).toBeGreaterThanOrEqual(4);
  for (const [index, code] of blocks.entries()) {
    const tail = TAILS.find(([name]) => code.includes(`const ${name} =`))?.[1] ?? "";
    writeFileSync(join(client.folder, `block-${index}.ts`), `${HEAD}${code}${tail}\n`);
  }
  const options = { extends: "../../../tsconfig.json", include: ["block-*.ts"] };
  writeFileSync(join(client.folder, "tsconfig.json"), JSON.stringify(options));
  const tsc = join(import.meta.dirname, "../../../node_modules/typescript/bin/tsc");
  expect(spawnSync(process.execPath, [tsc, "-p", client.folder], { encoding: "utf8" }).stdout).toBe("");
});
