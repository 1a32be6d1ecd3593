import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readContract } from "../src/contract.ts";

const responses = { 200: { description: "" } };
const read = (name: string) => ({
  get: { parameters: [{ name, in: "path", required: true, schema: { type: "string" } }], responses },
});

test.each<[name: string, fields: object, message: string]>([
  ["an empty paths object", { paths: {} }, "has no operations. Add a path to it first."],
  [
    "webhooks alone",
    { webhooks: { sold: { post: { responses } } } },
    "has only webhooks, which its service sends. Add the paths that the service serves first.",
  ],
  [
    "paths that differ only in a parameter's name",
    { paths: { "/books/{isbn}": read("isbn"), "/books/{title}": read("title") } },
    'Operations "GET /books/{isbn}" and "GET /books/{title}" have the same method and path, because parameter names do not count',
  ],
  ["no title", { info: { version: "1" } }, "needs info.title and info.version, both strings"],
  ["a version that is a number", { info: { title: "Books", version: 1.0 } }, "needs info.title and info.version"],
  ["Swagger 2.0", { openapi: undefined, swagger: "2.0" }, "Convert this Swagger 2.0: npx swagger2openapi"],
])("a contract with %s is refused with the reason", async (_name, fields, message) => {
  await expect(readContract(written(fields))).rejects.toThrow(message);
});

test("operations with invalid schemas are named, since only their requests fail", async () => {
  const operation = (pattern: unknown) => ({
    get: { parameters: [{ name: "q", in: "query", schema: { type: "string", pattern } }], responses },
  });
  const { broken } = await readContract(written({ paths: { "/a": operation(0), "/b": operation("^a$") } }));
  expect(broken).toEqual(["GET /a"]);
});

function written(fields: object): string {
  const folder = mkdtempSync(join(tmpdir(), "contract-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "contract.json");
  writeFileSync(file, JSON.stringify({ openapi: "3.1.1", info: { title: "Books", version: "1" }, ...fields }));
  return file;
}
