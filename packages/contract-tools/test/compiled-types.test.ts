import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OpenAPI3 } from "openapi-typescript";
import ts from "typescript";
import { expect, onTestFinished, test } from "vitest";
import { generatedFiles } from "../src/generate/generated-files.ts";
import { ROOT } from "openapi-contract/paths";

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

/** Returns the compiler's messages for a program that uses the generated types of a document. */
async function messagesOf(document: OpenAPI3, text: string): Promise<unknown[]> {
  const folder = mkdtempSync(join(tmpdir(), "compiled-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "generated"));
  for (const [name, file] of Object.entries(await generatedFiles(document)))
    writeFileSync(join(folder, "generated", name), file);
  writeFileSync(join(folder, "program.ts"), text);
  const types = [join(ROOT, "packages/contract-tools/node_modules/@types/node")];
  const paths = { "openapi-document": [join(ROOT, "packages/openapi-document/src/index.ts")] };
  const options = { paths, strict: true, noEmit: true, allowImportingTsExtensions: true, skipLibCheck: true, types };
  const settings = { ...options, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext };
  const program = ts.createProgram([join(folder, "program.ts")], { ...settings, lib: ["lib.esnext.d.ts"] });
  const diagnostics = [...program.getSemanticDiagnostics(program.getSourceFile(join(folder, "program.ts")))];
  for (const name of ["operations-with-defaults.ts", "schema.ts", "names.ts"])
    diagnostics.push(...program.getSemanticDiagnostics(program.getSourceFile(join(folder, "generated", name))));
  return diagnostics.map(({ messageText, start = 0 }) => [messageText, text.slice(0, start).split("\n").length]);
}

test("the types of nested references, recursive arrays, required fields of nullable schemas and operationIds with # compile", async () => {
  expect(await messagesOf(DOCUMENT, PROGRAM)).toEqual([]);
});

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const content = (schema: object) => ({ "application/json": { schema } });
const both = (operationId: string, name: string, more = {}) => ({
  post: {
    operationId,
    requestBody: { required: true, content: content(ref(name)) },
    responses: json(ref(name)),
    ...more,
  },
});
const [text, integer] = [{ type: "string" }, { type: "integer" }];
const object = (properties: object, required: string[] = []) => ({ type: "object", properties, required });

/** A document whose requests and responses differ by `readOnly` and `writeOnly`, with security and discriminators of many kinds. */
const DIRECTIONS = {
  openapi: "3.1.1",
  info: { title: "Shop", version: "1.2.3" },
  security: [{ key: [] }],
  paths: {
    "/pets": both("addPet", "Pet"),
    "/animals": both("addAnimal", "Animal", { security: [] }),
    "/heirs": both("addHeir", "Heir", { security: [{}, { key: [] }] }),
    "/shapes": both("addShape", "Shape", { security: [{ key: [] }, { user: [], token: [] }] }),
    "/flags": both("addFlag", "Flag"),
    "/filtered": {
      get: {
        operationId: "filter",
        parameters: [
          { name: "pet", in: "query", required: true, style: "deepObject", schema: ref("Pet") },
          { name: "authorization", in: "header", schema: text },
        ],
        responses: json({ type: "array", items: ref("PetRequest") }),
      },
    },
  },
  components: {
    securitySchemes: { key: { type: "http", scheme: "bearer" }, user: { type: "http", scheme: "basic" } },
    schemas: {
      Base: object({ id: { ...integer, readOnly: true }, name: text }, ["name"]),
      Stamp: { ...text, readOnly: true },
      Pet: {
        allOf: [ref("Base"), object({ made: ref("Stamp"), pw: { ...text, writeOnly: true } }, ["made", "pw"])],
        properties: { friends: { type: "array", items: ref("Pet") } },
        required: ["id", "friends"],
      },
      PetRequest: object({ taken: text }),
      Cat: object({ kind: text, id: { ...integer, readOnly: true } }, ["kind", "id"]),
      Dog: object({ kind: text, bark: text }, ["kind", "bark"]),
      Animal: { oneOf: [ref("Cat"), ref("Dog")], discriminator: { propertyName: "kind" } },
      Parent: {
        ...object({ kind: text, id: { ...integer, readOnly: true } }),
        discriminator: { propertyName: "kind" },
      },
      Heir: { allOf: [ref("Parent"), object({ age: integer })] },
      Circle: object({ type: { ...integer, const: 1 }, radius: integer }, ["radius"]),
      Square: { allOf: [ref("Sided"), object({ size: integer }, ["size"])] },
      Sided: object({ type: integer, id: { ...integer, readOnly: true } }),
      Line: object({ type: { enum: [-3, 4] }, length: integer }, ["type", "length"]),
      Shape: {
        anyOf: [ref("Circle"), ref("Square"), ref("Line")],
        discriminator: {
          propertyName: "type",
          mapping: { 1: "Circle", 2: ref("Square").$ref, "-3": ref("Line").$ref, 4: ref("Line").$ref },
        },
      },
      On: object({ on: { const: true }, power: integer }, ["power"]),
      Off: object({ on: { type: "boolean" }, reason: text }, ["reason"]),
      Flag: {
        oneOf: [ref("On"), ref("Off")],
        discriminator: { propertyName: "on", mapping: { true: ref("On").$ref, false: ref("Off").$ref } },
      },
    },
  },
} as unknown as OpenAPI3;

const HANDLERS = `
import { type Handlers, implement } from "${ROOT.replaceAll("\\", "/")}/packages/express-operations/src/index.ts";
import type { operations } from "./generated/operations-with-defaults.ts";
import type { Animal, Pet, PetRequest_2 } from "./generated/names.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <Type, Other>(_equal: Equal<Type, Other>) => {};
interface User { name: string }

const handlers = {
  addPet: ({ body, caller, callers }) => {
    is<typeof caller, User>(true);
    is<typeof callers, Readonly<Record<"key", User>>>(true);
    is<typeof body, PetRequest_2>(true);
    is<typeof body.friends[number]["pw"], string>(true);
    // @ts-expect-error requests have no id
    void body.id;
    // @ts-expect-error requests have no id, at any depth
    void body.friends[0]?.id;
    // @ts-expect-error requests have no field whose component is readOnly
    void body.made;
    const pet: Pet = { name: body.name, id: 1, made: "", friends: [] };
    // @ts-expect-error responses have no pw
    void pet.pw;
    return { status: 200, body: { ...body, ...pet } };
  },
  addAnimal: ({ body, caller, callers }) => {
    is<typeof caller, undefined>(true);
    // @ts-expect-error there are no schemes
    void callers["key"];
    // @ts-expect-error a response has an id
    const cat: Animal = { kind: "Cat" };
    if (body.kind === "Dog") return { status: 200, body: { kind: body.kind, bark: body.bark } };
    is<typeof body.kind, "Cat">(true);
    return { status: 200, body: { ...body, ...cat, id: 1 } };
  },
  addHeir: ({ body, caller, callers }) => {
    is<typeof caller, User | undefined>(true);
    is<typeof callers.key, User | undefined>(true);
    is<typeof body.kind, "Heir">(true);
    // @ts-expect-error requests have no id
    void body.id;
    return { status: 200, body: { kind: "Heir", id: 1, age: 2 } };
  },
  addShape: ({ body, caller, callers }) => {
    is<typeof caller, User>(true);
    is<typeof callers, Readonly<Partial<Record<"key" | "user" | "token", User>>>>(true);
    is<typeof body.type, 1 | 2 | -3 | 4>(true);
    if (body.type === 1) void body.radius;
    if (body.type === 2) void body.size;
    if (body.type === 4 || body.type === -3) void body.length;
    // @ts-expect-error a circle has no size
    if (body.type === 1) void body.size;
    return { status: 200, body };
  },
  addFlag: ({ body }) => {
    is<typeof body.on, boolean>(true);
    return { status: 200, body: body.on ? { on: true, power: body.power } : { on: false, reason: body.reason } };
  },
  filter: ({ query, headers }) => {
    is<typeof query.pet, PetRequest_2>(true);
    is<keyof typeof headers, never>(true);
    return { status: 200, body: [{ taken: "" }] };
  },
} satisfies Handlers<operations, { caller: User }>;
implement<operations, { caller: User }>()({ document: {} as never, handlers, security: {} });
implement<Pick<operations, "addPet">>()({
  document: {} as never,
  // @ts-expect-error a required field is missing in the response
  handlers: { addPet: ({ body }) => ({ status: 200, body }) },
});
`;

test("handlers get the caller, the fields and the discriminators of their operation", async () => {
  expect(await messagesOf(DIRECTIONS, HANDLERS)).toEqual([]);
});

test("the types of OpenAPI 3.2's methods compile, and stand where clients of fetch-operations expect them", async () => {
  const search = { operationId: "searchRooms", requestBody: { content: content(object({ q: text })) } };
  const purge = { operationId: "purgeRooms", responses: { 204: { description: "" } } };
  const paths = { "/rooms": { query: { ...search, responses: json(text) }, additionalOperations: { PURGE: purge } } };
  const program = `import type { SearchRoomsInput, PurgeRoomsOutput } from "./generated/names.ts";
import type { paths } from "./generated/schema.ts";
export const body: NonNullable<paths["/QUERY /rooms"]["trace"]["requestBody"]> = { content: { "application/json": { q: "a" } } };
export const purged: keyof paths["/PURGE /rooms"]["trace"]["responses"] = 204;
export type Named = [SearchRoomsInput, PurgeRoomsOutput];
`;
  expect(await messagesOf({ ...DIRECTIONS, openapi: "3.2.0", paths }, program)).toEqual([]);
});
