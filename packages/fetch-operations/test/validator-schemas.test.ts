import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { compilePattern } from "openapi-document";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Config } from "../src/generate/config.ts";
import { generatedFiles } from "../src/generate/generated-files.ts";
import { compile, type GeneratedClient, generatedClient } from "./generated-client.ts";
import { json, object, ref, string } from "./schemas.ts";

/** The part of Standard Schema 1.0 that the test calls: https://standardschema.dev */
interface StandardSchema {
  "~standard": { version: 1; validate: (value: unknown) => Awaitable<{ value?: unknown; issues?: unknown[] }> };
}
type Awaitable<Value> = Value | Promise<Value>;

const text = (format: string, more: object = {}) => ({ ...string, format, ...more });
const schemas = {
  Book: object(
    {
      id: { type: "integer", format: "int64" },
      at: text("date-time"),
      title: { ...string, minLength: 1 },
      token: { ...string, readOnly: true },
      sequel: ref("Book"),
      shelf: ref("shelf-mark"),
      cover: text("binary"),
    },
    ["id", "title", "token"],
  ),
  "shelf-mark": { enum: ["a", "b"] },
  Tree: { anyOf: [string, { type: "array", items: ref("Tree") }] },
};

function documentOf(openapi: string, more: object = {}) {
  const body = { required: true, ...json(ref("Book")) };
  const post = { operationId: "addBook", requestBody: body, responses: { 200: json(ref("Book")) } };
  const components = { schemas: { ...schemas, ...more } };
  return { openapi, info: { title: "T", version: "1" }, paths: { "/books": { post } }, components };
}

const at = "2030-12-05T00:00:00+01:00";
const wire = `{"id":9007199254740993,"at":"${at}","title":"a","token":"t","sequel":{"id":2,"title":"b","token":"t"},"shelf":"b","more":1}`;

test.each([
  ["zod", "z", documentOf("3.0.3"), { int64: "bigint" }, wire],
  [
    "valibot",
    "v",
    documentOf("3.1.1", { Level: { enum: [1, null] }, Any: object({ level: ref("Level") }) }),
    { dates: "Date" },
    wire.replace("9007199254740993", "3"),
  ],
] as const)(
  "%s validates what the client returns and sends, of OpenAPI 3.0 and 3.1, with the options for values",
  async (library, letter, document, values, body) => {
    using client = await generatedClient(document, { features: [library], ...values });
    const fetch = () => Promise.resolve(new Response(body, { headers: { "Content-Type": "application/json" } }));
    const { data } = await client.create({ baseUrl: "http://a.test", fetch }).addBook!({ body: {} });
    const found = (await import(pathToFileURL(join(client.folder, `${library}.ts`)).href)) as Record<
      string,
      StandardSchema
    >;
    const isValid = async (name: string, value: unknown) => {
      const { issues } = await found[`${letter}${name}`]!["~standard"].validate(value);
      return issues === undefined;
    };
    const book = data as object;
    expect(await isValid("Book", book)).toBe(true);
    expect(await isValid("Book", { ...book, title: "" })).toBe(false);
    expect(await isValid("Book", { ...book, at: "yesterday" })).toBe(false);
    expect(await isValid("Book", { ...book, sequel: { id: 2 } })).toBe(false);
    expect(await isValid("Book", { ...book, token: undefined })).toBe(false);
    expect(await isValid("BookRequest", { ...book, token: undefined, cover: new Blob() })).toBe(true);
    expect(await isValid("ShelfMark", "c")).toBe(false);
    expect(await isValid("Tree", [["a"], "b"])).toBe(true);
    expect(await isValid("Tree", [[1], "b"])).toBe(false);
    expect("vLevel" in found ? await isValid("Any", { level: null }) : true).toBe(true);

    expect(Object.keys(found).filter((name) => name.includes("Book"))).toEqual([
      `${letter}Book`,
      `${letter}BookRequest`,
    ]);
    const config: Config = { contract: "", output: "", name: "Thing", features: [library], ...values };
    const again = await generatedFiles({ document, placeOf: () => "" }, config);
    expect(again[`${library}.ts`]).toBe(readFileSync(join(client.folder, `${library}.ts`), "utf8"));
  },
);

const code = "&&(globalThis.isRun=true,`";
const TEXTS = [
  ...Array.from("'\"`\\/\n\r\t\0\u007F\u0085\u2028é😀"),
  "\\'",
  "${globalThis.isRun=true}",
  "`);//",
  "\u2028`);//",
  "*/ globalThis.isRun=true; /*",
  "*\\u002f globalThis.isRun=true; /*",
  "\\u0027+(globalThis.isRun=true)+\\u0027",
  "\\u005c",
  "\\\\u0041",
  "\\\u0001u0041",
  "\\x41\\n",
];
const INVALID = ["(", `\\\\/)${code}`];
const PATTERNS = [
  ["^\\/$", "^/$", "^[/]$", "^[\\\\/]$", "^\\u002f$", "^\\x2f$", "/a/", "//", "^\\*/$"],
  ["^\n$", "^\\n$", "^[^\n]+$", "^\u2028$", "^\\u000a$"],
  ["^'$", '^"$', "^`$", "^\\\\$", "^\\u005c$", "^[\\u005d]$", "^\\$\\{a\\}$", "^\\\\u0041$"],
  ["^\\u002e$", "^[\\u0041-\\u005a]$", "^.$", "^\\p{L}$", "^\\u{1F600}$", "^\\ud83d\\ude00$", "^[^\\x00-\\x1f]$"],
  ["^[\\w\\-]+$", "\\A[a]\\Z", "^\\p{Alnum}+$", "", `\\u002f${code})`, ...INVALID],
].flat();
const SAMPLES = [
  ...Array.from("'\"`\\/\n\u2028.aA]é😀\u0001"),
  "*/",
  "${a}",
  "a-b",
  "/a/",
  "//",
  "\\A",
  "\\u0041",
  "",
  code,
];

describe.each(["zod", "valibot"] as const)("no text of a contract is code for %s, and each is kept:", (library) => {
  let client: GeneratedClient;
  let valueOf: (name: string, value: unknown) => Promise<unknown>;
  beforeAll(async () => {
    const texts = TEXTS.map((each) => ({
      Listed: { ...string, enum: [each, "other"], description: each, title: each },
      Only: { const: each, description: `a ${each} b` },
      Default: object({ field: { ...string, default: each, description: each } }, []),
    }));
    const named = [...texts, ...PATTERNS.map((pattern) => ({ Pattern: { ...string, pattern, description: pattern } }))];
    const more = named.flatMap((each, index) => Object.entries(each).map(([name, schema]) => [name + index, schema]));
    client = await generatedClient(documentOf("3.1.1", Object.fromEntries(more)), { features: [library] });
    const found = (await import(pathToFileURL(join(client.folder, `${library}.ts`)).href)) as Record<
      string,
      StandardSchema
    >;
    valueOf = async (name, given) => {
      const { issues, value } = await found[library.charAt(0) + name]!["~standard"].validate(given);
      return issues === undefined ? { value } : undefined;
    };
  });
  afterAll(() => client[Symbol.dispose]());

  test("it compiles and runs nothing of the contract", () => {
    expect(globalThis).not.toHaveProperty("isRun");
    expect(compile(client, "")).toBe("");
  });

  test.each(TEXTS.map((each, index) => [each, index] as const))("%j", async (each, index) => {
    for (const name of [`Listed${index}`, `Only${index}`]) {
      expect(await valueOf(name, each)).toEqual({ value: each });
      expect(await valueOf(name, `${each}x`)).toBeUndefined();
    }
    expect(await valueOf(`Default${index}`, {})).toEqual({ value: { field: each } });
  });

  test.each(PATTERNS.map((pattern, index) => [pattern, index] as const))("the pattern %j", async (pattern, index) => {
    const matches = (sample: string) => INVALID.includes(pattern) || compilePattern(pattern).test(sample);
    const valid = async (sample: string) => (await valueOf(`Pattern${TEXTS.length + index}`, sample)) !== undefined;
    expect(await Promise.all(SAMPLES.map(valid))).toEqual(SAMPLES.map(matches));
  });
});

test.each([
  [
    { Part: { allOf: [ref("Whole")] }, Whole: { allOf: [{ ...string }, ref("Part")] } },
    "The feature zod cannot be generated: the schema Part has an allOf that leads back to the schema.",
  ],
  [
    { ["__proto__"]: string, Text: string },
    "The feature zod cannot have a schema with the name __proto__. Rename the schema.",
  ],
])("a schema that the generator cannot take is refused by name: %j", async (components, message) => {
  const document = { openapi: "3.1.1", paths: {}, components: { schemas: components } };
  const config: Config = { contract: "", output: "", name: "Thing", features: ["zod"] };
  await expect(generatedFiles({ document, placeOf: () => "" }, config)).rejects.toThrow(
    expect.objectContaining({ name: "ConfigError", message }),
  );
});
