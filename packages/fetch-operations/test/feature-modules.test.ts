import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ErrorClass } from "../src/index.ts";
import { compile, type GeneratedClient, generatedClient } from "./generated-client.ts";
import { json, object, ref, string } from "./schemas.ts";

const schemas = {
  "pet-status": { type: ["string", "null"], enum: ["available", "in stock", "__proto__", null] },
  Level: { oneOf: [{ const: 1, title: "Low" }, { const: 2 }] },
  Size: { type: "integer", enum: [10, 20], "x-enum-varnames": ["SMALL", "LARGE"] },
  Color: { enum: ["#f00", "#0f0"], "x-enumNames": ["red"] },
  Alias: ref("Size"),
  Tint: { enum: ["#00f", null, "#fff"], "x-enum-varnames": ["BLUE", null, "WHITE"] },
  Shade: { enum: ["light", "dark"], "x-enum-varnames": ["LIGHT", null] },
  Mixed: { enum: ["1", 1] },
  Twice: { enum: ["a", "a"] },
  Flag: { enum: [true, "yes"] },
  Huge: { enum: [1, 2 ** 53] },
  Open: { oneOf: [{ const: "a" }, string] },
  Count: { type: "integer", format: "int64", enum: [1] },
  Pet: {
    allOf: [
      ref("Base"),
      object({ status: ref("pet-status"), kind: { enum: ["cat", "dog"] }, tags: { items: { const: "new" } } }),
    ],
  },
  Base: object({ "a-b": { enum: ["x"] }, aB: { enum: ["y"] }, color: { enum: ["z"] } }),
  BaseColor: string,
};
const document = {
  openapi: "3.1.1",
  info: { title: "T", version: "1" },
  paths: {
    "/pet": {
      get: {
        operationId: "getPet",
        responses: { 200: json(ref("Pet")), 404: json(object({ missing: string }, ["missing"])), 500: json({}) },
      },
      put: {
        operationId: "putPet",
        responses: { 204: { description: "" }, 422: { description: "" }, "4XX": json(object({ at: string }, ["at"])) },
      },
      delete: { operationId: "deletePet", responses: { 204: { description: "" }, 499: { description: "" } } },
    },
  },
  components: { schemas },
};

let client: GeneratedClient;
beforeAll(async () => {
  client = await generatedClient(document, { features: ["enums", "errors"], int64: "bigint" });
});
afterAll(() => client[Symbol.dispose]());

async function load<Module extends object>(name: string): Promise<Module> {
  return { ...((await import(pathToFileURL(join(client.folder, name)).href)) as Module) };
}

test("enums are objects of the values of schemas and of their properties, except where a name or a value is ambiguous", async () => {
  expect(await load("enums.ts")).toEqual({
    petStatus: { available: "available", "in stock": "in stock", ["__proto__"]: "__proto__" },
    Level: { 1: 1, 2: 2 },
    Size: { SMALL: 10, LARGE: 20 },
    Alias: { SMALL: 10, LARGE: 20 },
    Color: { "#f00": "#f00", "#0f0": "#0f0" },
    Tint: { BLUE: "#00f", WHITE: "#fff" },
    Shade: { light: "light", dark: "dark" },
    Twice: { a: "a" },
    PetKind: { cat: "cat", dog: "dog" },
    PetTags: { new: "new" },
  });
});

describe("the errors of a status", () => {
  test.each([
    ["getPet", 404, '{"missing":"a"}', ["ThingClientError", "ThingNotFoundError"]],
    ["putPet", 404, '{"at":"a"}', ["ThingClientError", "ThingNotFoundError"]],
    ["deletePet", 404, '{"missing":"a"}', []], // not declared for this operation
    ["getPet", 500, "{}", ["ThingInternalServerError"]],
    ["putPet", 422, "", ["ThingClientError", "ThingUnprocessableContentError"]],
    ["deletePet", 499, "", ["Thing499Error", "ThingClientError"]],
    ["getPet", 404, "<html>", []],
  ])("%s with the status %i and the body %s is an instance of %j", async (operation, status, body, expected) => {
    const errors = await load<Record<string, ErrorClass<Error>>>("errors.ts");
    const fetch = () =>
      Promise.resolve(new Response(body, { status, headers: { "Content-Type": "application/json" } }));
    const error: unknown = await client.create({ baseUrl: "http://a.test", fetch, retry: false })[operation]!()
      .orThrow()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(client.Error);
    const matching = Object.keys(errors).filter((name) => error instanceof errors[name]!);
    expect(matching.toSorted()).toEqual(expected);
    expect(Object.assign(new Error(), { status, error: {} }) instanceof errors["ThingClientError"]!).toBe(false);
  });
});

test("enums and errors have the types of the client", () => {
  const program = `import type { Level, Pet, petStatus as Status, Size } from "./index.ts";
import { Level as Levels, PetKind, petStatus, Size as Sizes } from "./enums.ts";
import { ThingClientError, ThingNotFoundError, ThingUnprocessableContentError } from "./errors.ts";
const status: Status = petStatus.available;
const level: Level = Levels[2];
const size: Size = Sizes.LARGE;
const kind: PetKind = PetKind.cat;
const pet: Pet = { status: petStatus["in stock"], kind, tags: ["new"] };
for (const each of Object.values(Sizes) satisfies Size[]) void [each, status, level, size, pet];
// @ts-expect-error no value of the contract
void petStatus.sold;

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <A, B>(_: Equal<A, B>): void => {};
const error = new Error() as unknown;
if (error instanceof ThingUnprocessableContentError) is<typeof error.error, { code: string; message: string; status: number }>(true);
else if (error instanceof ThingNotFoundError) {
  is<typeof error.status, 404>(true);
  is<typeof error.error, { missing: string } | { at: string }>(true);
  is<typeof error.operationId, string>(true);
} else if (error instanceof ThingClientError && error.status === 409) void error.requestId;
`;
  expect(compile(client, program)).toBe("");
});

test.each<[paths: object | undefined]>([
  [{}],
  [undefined],
  [{ "/pet": { get: { operationId: "getPet", responses: { 204: { description: "" } } } } }],
])("every module compiles, also without an operation or a body: %j", async (paths) => {
  const features = ["contract-check", "enums", "errors", "testing", "react-query", "swr", "zod", "valibot"] as const;
  const small = { openapi: "3.1.1", info: { title: "T", version: "1" }, paths };
  using own = await generatedClient(small, { features: [...features] });
  expect(compile(own, 'import { createThing } from "./index.ts";\nvoid createThing({ baseUrl: "/" });\n')).toBe("");
  expect(typeof own.create({ baseUrl: "http://things.test" })["GET"]).toBe("function");
});
