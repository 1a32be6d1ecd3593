import { basename, join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compile, type GeneratedClient, generatedClient } from "./generated-client.ts";
import { json, query, ref, response, string } from "./schemas.ts";

const cat = {
  type: "object",
  required: ["kind", "lives"],
  properties: { kind: { const: "cat" }, lives: { type: "integer" } },
};
const dog = {
  type: "object",
  required: ["kind", "tricks"],
  properties: { kind: { const: "dog" }, tricks: { type: "array", items: string } },
};
const upload = {
  type: "object",
  required: ["photo"],
  properties: { photo: { type: "string", format: "binary" }, title: string },
};
const page = {
  type: "object",
  required: ["data"],
  properties: { data: { type: "array", items: ref("Cat") }, next: string },
};

const ERROR_OF_GET_ANIMAL = "#/paths/~1animals~1{id}/get/responses/4XX/content/application~1json";

/** A contract with a feature in each operation. */
const document = {
  openapi: "3.1.1",
  info: { title: "T", version: "1" },
  components: {
    schemas: {
      Cat: cat,
      Dog: dog,
      Animal: {
        oneOf: [ref("Cat"), ref("Dog")],
        discriminator: { propertyName: "kind", mapping: { cat: ref("Cat").$ref, dog: "Dog" } },
      },
    },
    securitySchemes: { token: { type: "http", scheme: "bearer" }, user: { type: "http", scheme: "basic" } },
  },
  paths: {
    "/animals/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
      get: {
        operationId: "get-animal",
        responses: {
          200: json(ref("Animal")),
          404: { description: "" },
          "4XX": json({ type: "object", properties: { reason: string } }),
        },
      },
      put: {
        operationId: "put",
        parameters: [query("id"), { name: "Accept", in: "header", required: true, schema: string }],
        requestBody: { required: true, ...json(ref("Animal")) },
        responses: { 204: { description: "" } },
      },
    },
    "/files": {
      post: {
        operationId: "upload",
        requestBody: {
          required: true,
          content: {
            "multipart/form-data": { schema: upload },
            "application/octet-stream": {},
            "text/plain": { schema: string },
          },
        },
        responses: { 202: { description: "" }, default: json({ type: "object", properties: { code: string } }) },
      },
      get: {
        operationId: "download",
        responses: {
          200: response({
            "application/pdf": {},
            "text/csv": { schema: string },
            "application/json": { schema: ref("Cat") },
          }),
        },
      },
      head: { operationId: "peek", responses: { "2XX": json(ref("Cat")) } },
    },
    "/events": {
      get: { operationId: "watch", responses: { 200: response({ "text/event-stream": { schema: ref("Cat") } }) } },
    },
    "/lines": {
      get: { operationId: "lines", responses: { 200: response({ "application/jsonl": { schema: ref("Dog") } }) } },
    },
    "/pages": {
      get: {
        operationId: "pages",
        "x-pagination": { by: "cursor", cursor: "after", next: "/next", items: "/data" },
        parameters: [query("after")],
        responses: { 200: json(page) },
      },
    },
    "/any": { get: { operationId: "delete", responses: { default: json({ type: ["null", "integer"] }) } } },
    // Named as the result of another operation, and with a schema that is referenced inside that operation's response.
    "/results": {
      get: {
        operationId: "GetAnimalResult",
        responses: { 200: json({ $ref: `${ERROR_OF_GET_ANIMAL}/schema/properties/reason` }) },
      },
    },
    "/closed": {
      post: {
        operationId: "create",
        requestBody: {
          required: true,
          ...json({
            type: "object",
            additionalProperties: false,
            required: ["name"],
            properties: { name: string, size: { type: "integer" } },
          }),
        },
        responses: { 201: json(ref("Cat")) },
      },
    },
  },
};

const PROGRAM = `import { createThing, type CreateInput, type Cat, type Dog, type Thing, ThingError } from "./index.ts";
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <A, B>(_: Equal<A, B>): void => {};
const thing: Thing = createThing({ baseUrl: "", credentials: { token: async () => "t", user: { username: "", password: "" } }, signal: undefined } as never);

const animal = await thing.getAnimal({ id: 1 }, { signal: null, timeout: undefined });
if (animal.status === 200) {
  if (animal.data.kind === "cat") is<typeof animal.data, Cat>(true);
  else is<typeof animal.data, Dog>(true);
} else if (animal.status === 404) is<typeof animal.error, { code: string; message: string; status: number }>(true);
else if (animal.status === 409) is<typeof animal.error, { reason?: string }>(true);
else if (animal.status === 302) is<typeof animal.error.headers, Headers>(true);
else if (animal.status === 201) is<typeof animal.error.body, unknown>(true);
else if (animal.status === 0) is<typeof animal.error.httpStatus, number | undefined>(true);
void thing.put({ "path.id": 1, "query.id": "a", body: { kind: "cat", lives: 9 } });
is<Awaited<ReturnType<ReturnType<Thing["put"]>["orThrow"]>>, undefined>(true);

void thing.upload({ body: { photo: new File([], "a"), title: "t" } });
void thing.upload({ body: { photo: new Blob([]).stream() } });
void thing.upload({ body: { photo: { content: new Uint8Array(), filename: "a" } } });
void thing.upload({ body: new Uint8Array(), contentType: "application/octet-stream" });
void thing.upload({ body: "text", contentType: "text/plain" });

const file = await thing.download();
if (file.ok && file.contentType === "application/pdf") is<typeof file.data, Blob>(true);
else if (file.ok && file.contentType === "text/csv") is<typeof file.data, string>(true);
else if (file.ok) is<typeof file.data, Cat>(true);
const peeked = await thing.peek();
if (!peeked.ok && peeked.status !== 0) is<typeof peeked.error.status, number>(true);
if (peeked.status === 206) is<typeof peeked.data, undefined>(true);

for await (const { id, data } of await thing.watch().orThrow()) {
  is<typeof id, string>(true);
  is<typeof data, Cat>(true);
}
for await (const line of await thing.lines().orThrow()) is<typeof line, Dog>(true);
for await (const item of thing.paginate.pages({})) is<typeof item, Cat>(true);
const anything = await thing.delete_();
if (anything.status === 299) is<typeof anything.data, number | null>(true);
if (anything.status === 307) is<typeof anything.error.contentType, string | undefined>(true);
is<CreateInput["size"], number | undefined>(true);
void thing.create({ name: "a" });
void thing.POST("/closed", { body: { name: "a" } });
void thing.POST("/files", { body: "t", contentType: "text/plain" });
const result = await thing.GetAnimalResult();
if (result.ok) is<typeof result.data, string>(true);
const error = new Error() as unknown;
if (error instanceof ThingError && error.code === "timeout") is<typeof error.httpStatus, number | undefined>(true);
`;

const PROGRAM_ERRORS: [code: string, firstLine: string][] = [
  ["thing.create({ name: 5 })", "Type 'number' is not assignable to type 'string'."],
  ["thing.create({})", "Property 'name' is missing in type '{}' but required in type 'CreateInput'."],
  [
    "thing.create({ name: '', nam: '' })",
    "Object literal may only specify known properties, but 'nam' does not exist in type 'CreateInput'. Did you mean to write 'name'?",
  ],
  ["thing.getAnimal({ id: 'a' })", "Type 'string' is not assignable to type 'number'."],
  ["thing.getAnimal()", "Expected 1-2 arguments, but got 0."],
  [
    "thing.upload({ body: { photo: 'text' } })",
    "Type 'string' is not assignable to type 'Blob | FilePart | ReadableStream<Uint8Array<ArrayBufferLike>> | Uint8Array<ArrayBufferLike>'.",
  ],
  ["thing.paginate.getAnimal", "Property 'getAnimal' does not exist on type 'ByPage'."],
  [
    "createThing({ baseUrl: '', tokn: '' })",
    "Object literal may only specify known properties, and 'tokn' does not exist in type 'ThingOptions'.",
  ],
];

describe("the types of a generated client", () => {
  let client: GeneratedClient;
  beforeAll(async () => {
    client = await generatedClient(document);
  });
  afterAll(() => client[Symbol.dispose]());

  test("narrow every kind of result, and take every kind of input", () => {
    expect(compile(client, PROGRAM)).toBe("");
  });

  test("name the operation's types in the compiler's first lines", () => {
    const head =
      'import { createThing, type Thing } from "./index.ts";\ndeclare const thing: Thing;\nvoid createThing;\n';
    const output = compile(client, head + PROGRAM_ERRORS.map(([code]) => `void ${code};\n`).join(""));
    const lines = Array.from(
      output.matchAll(/^\S*program\.ts\((\d+),\d+\): error TS\d+: (.*)$/gm),
      ([, line, text]) => [Number(line), text],
    );
    expect(lines).toEqual(PROGRAM_ERRORS.map(([, text], index) => [index + 4, text]));
  });
});

describe("a client with 500 operations", () => {
  let large: GeneratedClient;
  beforeAll(async () => {
    const paths = Object.fromEntries(
      Array.from({ length: 250 }, (_, index) => {
        const get = {
          operationId: `getThing${index}`,
          parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
          responses: { 200: json({ type: "object", properties: { name: string } }) },
        };
        const body = { type: "object", properties: { [`name${index}`]: string } };
        return [
          `/things${index}/{id}`,
          { get, put: { ...get, operationId: `putThing${index}`, requestBody: json(body) } },
        ];
      }),
    );
    large = await generatedClient({ openapi: "3.1.1", info: { title: "T", version: "1" }, paths });
  });
  afterAll(() => large[Symbol.dispose]());

  test.each(["5.9", "7"])("is one of openapi-fetch, and a mistake is one short message of TypeScript %s", (version) => {
    const typescript = version === "5.9" ? join(import.meta.dirname, "../node_modules/typescript") : undefined;
    const output = compile(
      large,
      `import { type Client, type MethodResponse, wrapAsPathBasedClient } from "openapi-fetch";
import { createThing } from "./index.ts";
import type { paths } from "./schema.ts";
const thing = createThing({ baseUrl: "" });
export const client: Client<paths> = thing;
const path = { path: { id: 7 } };
const wrapped = await wrapAsPathBasedClient(thing)["/things7/{id}"].GET({ params: path });
export const name: MethodResponse<typeof thing, "get", "/things7/{id}">["name"] = wrapped.data?.name ?? "";
export const text: string = (await thing.GET("/things7/{id}", { params: path, parseAs: "text", timeout: 1 })).data ?? "";
void thing.GET("/typo");
void thing.PUT("/typo", { body: {} });
void thing.request("get", "/typo");
void thing.GET("/things7/{id}");
void thing.GET("/things7/{id}", { params: { path: { id: "seven" } } });
void thing.GET("/things7/{id}", { params: { path: { idd: 7 } } });
void thing.getThing7({ idd: 7 });
const { data } = await thing.GET("/things7/{id}", { params: path });
void data?.nam;`,
      typescript,
    );
    const messages = Array.from(output.matchAll(/^\S*program\.ts.*: error TS\d+: (.*)$/gm), ([, message]) => message);
    expect(messages).toEqual([
      `Argument of type '"/typo"' is not assignable to parameter of type 'PathOf<paths, "get">'.`,
      `Argument of type '"/typo"' is not assignable to parameter of type 'PathOf<paths, "put">'.`,
      `Argument of type '"/typo"' is not assignable to parameter of type 'PathOf<paths, "get">'.`,
      "Expected 2 arguments, but got 1.",
      "Type 'string' is not assignable to type 'number'.",
      "Object literal may only specify known properties, and 'idd' does not exist in type '{ id: number; }'.",
      "Object literal may only specify known properties, and 'idd' does not exist in type 'GetThing7Input'.",
      "Property 'nam' does not exist on type '{ name?: string; }'. Did you mean 'name'?",
    ]);
  });
});

test("editors lead from methods, arguments and results to the types of the contract", () => {
  const file = join(import.meta.dirname, "library/src/generated/program.ts");
  const marked = `import { createLibrary } from "./index.ts";
const library = createLibrary({} as never);
const result = await library.^getBook({ ^id: 1n });
if (result.ok) void result.data.^title;
for await (const book of library.paginate.^listBooks({ ^tags: [] })) void book.^title;
void library.replaceBook({ "^path.id": 1n, "query.id": "", ^body: { id: 1n, ^title: "" } });
void library.addCovers({ id: 1, body: { ^files: [] } });
const { data } = await library.GET("/books/{id}", { params: { path: { ^id: 1n } } });
void data?.^title;
void library.POST("/books", { body: { ^title: "" } });
`;
  const program = marked.replaceAll("^", "");
  const options = { module: ts.ModuleKind.NodeNext, strict: true, allowImportingTsExtensions: true, noEmit: true };
  const host = ts.createCompilerHost(options);
  const read = (name: string) => (name === file ? program : ts.sys.readFile(name));
  const service = ts.createLanguageService({
    ...(host as object as ts.LanguageServiceHost),
    fileExists: (name) => read(name) !== undefined,
    readFile: read,
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => "",
    getScriptSnapshot: (name) => {
      const text = read(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
  });
  expect(service.getSemanticDiagnostics(file)).toEqual([]);
  const places = Array.from(marked.matchAll(/\^/g), ({ index }, before) =>
    (service.getDefinitionAtPosition(file, index - before) ?? []).map(({ fileName, name }) => [
      basename(fileName),
      name.replaceAll('"', ""),
    ]),
  );
  expect(places).toEqual([
    [["calls.ts", "getBook"]],
    [["calls.ts", "id"]],
    [["schema.ts", "title"]],
    [["calls.ts", "listBooks"]],
    [["schema.ts", "tags"]],
    [["schema.ts", "title"]],
    [["calls.ts", "path.id"]],
    [["calls.ts", "body"]],
    [["schema.ts", "title"]],
    [["schema.ts", "files"]],
    [["schema.ts", "id"]],
    [["schema.ts", "title"]],
    [["schema.ts", "title"]],
  ]);
});
