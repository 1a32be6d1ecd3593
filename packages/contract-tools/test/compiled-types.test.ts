import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OpenAPI3 } from "openapi-typescript";
import ts from "typescript";
import { expect, onTestFinished, test } from "vitest";
import { generatedFiles } from "../src/generate/generated-files.ts";
import { ROOT } from "../src/paths.ts";

const json = (schema: object) => ({ "200": { description: "", content: { "application/json": { schema } } } });
const PETS = "#/paths/~1pets/get/responses/200/content/application~1json/schema";

/** A document with schemas and operationIds that openapi-typescript alone writes as types that do not compile. */
const DOCUMENT = {
  openapi: "3.1.1",
  info: { title: "Shop", version: "1.2.3" },
  paths: {
    "/pets": {
      get: {
        operationId: "pets#list",
        parameters: [{ name: "kind", in: "query", schema: { type: "string" } }],
        responses: json({ type: "array", items: { type: "object", properties: { name: { type: "string" } } } }),
      },
    },
    "/names": {
      get: {
        operationId: "names",
        parameters: [{ name: "kind", in: "query", schema: { $ref: "#/paths/~1pets/get/parameters/0/schema" } }],
        responses: json({ type: "array", items: { $ref: `${PETS}/items/properties/name` } }),
      },
    },
    "/copies": { get: { operationId: "copies", responses: json({ $ref: PETS }) } },
    "/sizes": { get: { responses: json({ $ref: "#/components/schemas/Box/properties/inner/properties/size" }) } },
    "/values": { get: { operationId: "values", responses: json({ $ref: "#/components/schemas/Value" }) } },
    "/failure": {
      get: {
        operationId: "failure",
        responses: json({
          allOf: [
            { $ref: "#/components/schemas/Failure" },
            { type: "object", properties: { item: { type: "string" } } },
          ],
          required: ["code"],
        }),
      },
    },
    "/rows": {
      get: { operationId: "rows", responses: json({ type: "array", items: { $ref: "#/components/schemas/Value" } }) },
    },
  },
  components: {
    schemas: {
      Value: {
        oneOf: [{ type: "string" }, { $ref: "#/components/schemas/Values" }, { type: "null" }],
      },
      Values: { type: "array", items: { $ref: "#/components/schemas/Same" } },
      Failure: { type: ["object", "null"], properties: { code: { type: "string" } } },
      Same: { $ref: "#/components/schemas/Value" },
      Box: { type: "object", properties: { inner: { type: "object", properties: { size: { type: "integer" } } } } },
    },
  },
} as unknown as OpenAPI3;

const PROGRAM = `
import type { operations } from "./generated/operations-with-defaults.ts";
import type { FailureOutput, NamesOutput, PetsListOutput, ValuesOutput } from "./generated/names.ts";
import type { paths } from "./generated/schema.ts";

export const name: NamesOutput["body"][number] = "Rex";
export const kind: NonNullable<operations["names"]["parameters"]["query"]>["kind"] = "dog";
export const pets: PetsListOutput["body"] = [{ name }];
export const copies: operations["copies"]["responses"]["200"]["content"]["application/json"] = pets;
export const handler: keyof operations = "pets#list";
export const size: paths["/sizes"]["get"]["responses"]["200"]["content"]["application/json"] = 3;
export const value: ValuesOutput["body"] = ["a", ["b", null]];
export const failure: FailureOutput["body"] = { code: "gone", item: "a" };
// @ts-expect-error
export const lacking: FailureOutput["body"] = { item: "a" };
// @ts-expect-error
export const wrong: ValuesOutput["body"] = ["a", [3]];
`;

test("the types of nested references, recursive arrays, required fields of nullable schemas and operationIds with # compile", async () => {
  const folder = mkdtempSync(join(tmpdir(), "compiled-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "generated"));
  for (const [name, text] of Object.entries(await generatedFiles(DOCUMENT)))
    writeFileSync(join(folder, "generated", name), text);
  copyFileSync(join(ROOT, "packages/contract/src/operation.ts"), join(folder, "operation.ts"));
  writeFileSync(join(folder, "program.ts"), PROGRAM);
  const options = { strict: true, noEmit: true, allowImportingTsExtensions: true, types: [] };
  const settings = { ...options, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext };
  const program = ts.createProgram([join(folder, "program.ts")], settings);
  const messages = ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText);
  expect(messages).toEqual([]);
});
