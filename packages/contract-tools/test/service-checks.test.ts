import type { BundledDocument } from "openapi-contract/bundle";
import { expect, test } from "vitest";
import { GENERATED_FOLDER } from "../src/paths.ts";
import { generatedCheck, schemaCheck } from "../src/service-checks.ts";

function contractWith(parameter: object): BundledDocument {
  const get = { operationId: "listBooks", parameters: [parameter], responses: { 200: { description: "The books." } } };
  return { openapi: "3.1.1", info: { title: "Bookshop", version: "1.0.0" }, paths: { "/books": { get } } };
}

test("files that are generated from another contract fail the check, which says how to write them", async () => {
  const { findings } = await generatedCheck(contractWith({ name: "q", in: "query" }), "CHANGELOG.md", GENERATED_FOLDER);
  const messages = findings.map(({ message }) => message);
  expect(messages).toContain("schema.ts does not match the contract. Run `npx -y pnpm@12.21.0 generate`.");
});

test("an operation that cannot be served is a warning, since the contract may be that of others", async () => {
  const check = await schemaCheck(contractWith({ name: "__proto__", in: "query", schema: { type: "string" } }));
  expect(check).toMatchObject({
    findings: [],
    warnings: [{ message: expect.stringMatching(/^listBooks cannot be served: /) }],
  });
});

test("a schema that takes more than linear time is a warning", async () => {
  const schema = { type: "string", maxLength: 100, pattern: "^([a-z]+)+$" };
  expect(await schemaCheck(contractWith({ name: "q", in: "query", schema }))).toEqual({
    name: "schemas",
    passed: "operations that cannot be served: 0; schemas that take more than linear time: 1",
    findings: [],
    warnings: [{ message: expect.stringMatching(/^listBooks, .*: the pattern .* backtracks/) as string }],
  });
});
