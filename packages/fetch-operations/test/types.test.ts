import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GeneratedClient, generatedClient } from "./generated-client.ts";

const string = { type: "string" };
const json = (schema: object) => ({ description: "", content: { "application/json": { schema } } });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
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
const query = (name: string, schema: object = string) => ({ name, in: "query", schema });
const response = (content: object) => ({ description: "", content });

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
if (peeked.status === 206) is<typeof peeked.data, undefined>(true);

for await (const { id, data } of await thing.watch().orThrow()) {
  is<typeof id, string>(true);
  is<typeof data, Cat>(true);
}
for await (const line of await thing.lines().orThrow()) is<typeof line, Dog>(true);
for await (const item of thing.paginate.pages({})) is<typeof item, Cat>(true);
const anything = await thing.delete_();
if (anything.status === 299) is<typeof anything.data, number | null>(true);
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

/** Returns the compiler's messages for a program in the folder of a client. */
function compile({ folder }: GeneratedClient, program: string): string {
  writeFileSync(join(folder, "program.ts"), program);
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUnusedLocals: true,
    noEmit: true,
    module: "nodenext",
    target: "es2022",
    lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
    types: [],
    allowImportingTsExtensions: true,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  const tsc = join(import.meta.dirname, "../../../node_modules/typescript/bin/tsc");
  return spawnSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], { encoding: "utf8" }).stdout;
}

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

const integer = { type: "integer" };
const object = (properties: object, required: string[] = []) => ({ type: "object", properties, required });
const both = (operationId: string, name: string) => ({
  post: { operationId, requestBody: { required: true, ...json(ref(name)) }, responses: { 200: json(ref(name)) } },
});

/** A contract whose requests and responses differ, and whose discriminators are no names of schemas. */
const directions = {
  openapi: "3.0.3",
  info: { title: "T", version: "1" },
  paths: {
    "/pets": both("pets", "Pet"),
    "/keys": both("keys", "Key"),
    "/ids": both("ids", "Id"),
    "/copies": {
      post: {
        operationId: "copies",
        requestBody: {
          required: true,
          ...json({ $ref: "#/paths/~1pets/post/responses/200/content/application~1json/schema" }),
        },
        responses: { 200: json({ $ref: "#/components/schemas/Pet/properties/name" }) },
      },
    },
    "/shapes": both("addShape", "Shape"),
    "/switches": both("switches", "Switch"),
    "/vehicles": both("vehicles", "Vehicle"),
    "/turns": both("turns", "Turn"),
    "/owners": both("owners", "Owner"),
  },
  components: {
    schemas: {
      Pet: object(
        { id: { ...integer, readOnly: true }, name: string, pw: { ...string, writeOnly: true }, of: ref("Pet") },
        ["id", "name", "pw"],
      ),
      Key: {
        ...object({ id: { ...integer, readOnly: true }, key: { ...string, writeOnly: true }, note: string }, [
          "id",
          "key",
        ]),
        additionalProperties: false,
      },
      Id: { ...object({ id: { ...integer, readOnly: true } }, ["id"]), additionalProperties: false },
      Stamp: object({ at: { ...string, readOnly: true }, by: ref("Author") }, ["at", "by"]),
      Author: { ...string, readOnly: true },
      Named: object({ name: string, born: string, code: { ...string, writeOnly: true } }),
      Owner: {
        allOf: [
          ref("Stamp"),
          ref("Named"),
          { type: "object", properties: { id: { ...integer, readOnly: true } } },
          object({
            pets: { type: "array", items: ref("Pet") },
            home: object({ id: ref("Author"), street: string }, ["id"]),
          }),
        ],
        required: ["id", "pets", "home", "born", "code"],
      },
      Circle: object({ type: { ...integer, enum: [1] }, radius: integer }, ["radius"]),
      Square: object({ type: integer, size: integer }, ["type", "size"]),
      Shape: {
        oneOf: [ref("Circle"), ref("Square")],
        discriminator: { propertyName: "type", mapping: { 1: ref("Circle").$ref, 2: ref("Square").$ref } },
      },
      On: object({ on: { type: "boolean", enum: [true] }, power: integer }, ["on", "power"]),
      Off: object({ on: { type: "boolean", enum: [false] }, reason: string }, ["on", "reason"]),
      Vehicle: {
        ...object({ wheels: integer, owner: string }, ["wheels", "owner"]),
        oneOf: [ref("Bike"), ref("Car")],
        discriminator: { propertyName: "wheels", mapping: { 2: "Bike", 4: ref("Car").$ref } },
      },
      Bike: { allOf: [ref("Vehicle"), object({ bell: string })] },
      Car: { allOf: [ref("Vehicle"), object({ seats: integer }, ["seats"])] },
      Switch: { oneOf: [ref("On"), ref("Off")], discriminator: { propertyName: "on" } },
      LeftTurn: object({ to: { ...string, enum: ["left"] }, degrees: integer }, ["to", "degrees"]),
      RightTurn: object({ to: { ...string, enum: ["right"] }, reason: string }, ["to", "reason"]),
      Turn: { oneOf: [ref("LeftTurn"), ref("RightTurn")], discriminator: { propertyName: "to" } },
    },
  },
};

const DIRECTIONS = `
import { createThing, type Pet, type PetRequest } from "./index.ts";
import { createFakeThing } from "./testing.ts";
const thing = createThing({ baseUrl: "https://a.example", fetch: createFakeThing().fetch });

const sent: PetRequest = { name: "Rex", pw: "s", of: { name: "Bo", pw: "t" } };
const pet = await thing.pets({ body: sent });
if (pet.ok) {
  const received: Pet = pet.data;
  void received.id.toFixed();
  // @ts-expect-error responses have no pw
  void received.of?.pw;
}
// @ts-expect-error the service refuses id
void thing.pets({ body: { id: 1, name: "Rex", pw: "s" } });
// @ts-expect-error pw is required
void thing.POST("/pets", { body: { name: "Rex" } });
void thing.copies({ body: { name: "Rex", pw: "s" } });

const key = await thing.keys({ key: "a" });
if (key.ok) void key.data.id.toFixed();
// @ts-expect-error the service refuses id
void thing.keys({ id: 1, key: "a" });
void thing.ids();
const fake = createFakeThing();
fake.mock("pets", { status: 200, body: { id: 1, name: "Rex" } });
fake.mock("pets", ({ body }) => ({ status: 200, body: { id: body.pw.length, name: body.name } }));

const home = { street: "a" };
const owner = await thing.owners({ body: { born: "b", code: "c", home, pets: [{ name: "Rex", pw: "s" }] } }).orThrow();
void [owner.id.toFixed(), owner.at.trim(), owner.by.trim(), owner.born.trim(), owner.home.id.trim(), owner.pets[0]?.id.toFixed()];
// @ts-expect-error responses have no code
void owner.code;
// @ts-expect-error code is required
void thing.owners({ body: { born: "b", home, pets: [] } });
// @ts-expect-error the service refuses at
void thing.owners({ body: { born: "b", code: "c", home, pets: [], at: "" } });

const shape = await thing.addShape({ body: { type: 1, radius: 2 } });
if (shape.ok && shape.data.type === 2) void shape.data.size.toFixed();
// @ts-expect-error the values of the property are integers
void thing.addShape({ body: { type: "1", radius: 2 } });
// @ts-expect-error the type of a square is 2
void thing.addShape({ body: { type: 1, size: 2 } });
// @ts-expect-error a discriminator is required
void thing.addShape({ body: { radius: 2 } });
const vehicle = await thing.vehicles({ body: { wheels: 4, owner: "Ann", seats: 5 } });
if (vehicle.ok && vehicle.data.wheels === 4) void vehicle.data.seats.toFixed();
// @ts-expect-error a bike has no seats
if (vehicle.ok && vehicle.data.wheels === 2) void vehicle.data.seats;
const state = await thing.switches({ body: { on: false, reason: "" } });
if (state.ok) void (state.data.on ? state.data.power.toFixed() : state.data.reason.trim());
const turn = await thing.turns({ body: { to: "left", degrees: 90 } });
if (turn.ok && turn.data.to === "right") void turn.data.reason.trim();
// @ts-expect-error the property does not take the name of the schema
void thing.turns({ body: { to: "LeftTurn", degrees: 90 } });
`;

test.each(["3.0.3", "3.1.1"])(
  "the types of a generated client have the fields of each direction, and discriminators with the values of the property: %s",
  async (openapi) => {
    using client = await generatedClient({ ...directions, openapi }, { features: ["testing"] });
    expect(compile(client, DIRECTIONS)).toBe("");
  },
);

const png = { type: "string", contentMediaType: "image/png" };
const pdf = { contentMediaType: "application/pdf" };

/** A contract whose schemas describe files by their media types. */
const files = {
  openapi: "3.1.1",
  info: { title: "T", version: "1" },
  components: { schemas: { Pdf: pdf, Shared: png } },
  paths: {
    "/files": {
      post: {
        operationId: "upload",
        requestBody: {
          required: true,
          content: {
            "multipart/form-data": {
              schema: object({
                png,
                pdf: ref("Pdf"),
                described: { allOf: [ref("Pdf"), { description: "Signed." }] },
                pngs: { type: "array", items: png },
                none: { ...png, type: ["string", "null"] },
                page: { type: "string", contentMediaType: "text/html" },
                encoded: { ...png, contentEncoding: "base64" },
                shared: ref("Shared"),
              }),
            },
          },
        },
        responses: { 200: json(object({ png, shared: ref("Shared") }, ["png", "shared"])) },
      },
      get: { operationId: "download", responses: { 200: response({ "image/png": { schema: png } }) } },
    },
  },
};

const FILES = `import { createThing, type paths, type Pdf } from "./index.ts";
const thing = createThing({ baseUrl: "" });
const file: Pdf = new Blob([]);
const parts = { png: file, pdf: new File([], "a"), described: file, pngs: [new Uint8Array()], none: null, shared: file };
const sent = await thing.upload({ body: { ...parts, page: "<p>", encoded: "aGk=" } });
if (sent.ok) void (sent.data.png.trim() + (typeof sent.data.shared === "string"));
// @ts-expect-error a file is not a string
void thing.upload({ body: { png: "text" } });
const received = await thing.download();
if (received.ok) void received.data.stream();
const declared: paths["/files"]["get"]["responses"][200]["content"]["image/png"] = file;
void declared;
`;

test("a string of bytes with contentMediaType is a file in multipart forms and bodies of bytes, and a string in JSON", async () => {
  using client = await generatedClient(files);
  expect(compile(client, FILES)).toBe("");
});

const ODD_NAMES = [
  "\u00000\u0000",
  "\u00001",
  "\u2028",
  'q"',
  "it's",
  "\\",
  "*/",
  "`${x}`",
  "</script>",
  "a#b",
  "%41",
  "__proto__",
  "constructor",
];

const bearer = { type: "http", scheme: "bearer" };
const schemeOf = (name: string) => (name in {} ? `key of ${name}` : name);

/** A contract with an operation, parameters, a schema and a security scheme of each name. */
function documentOfNames(names: string[]) {
  const refTo = (name: string) => ref(encodeURIComponent(name.replaceAll("/", "~1")));
  const paths = names.map((name, index) => {
    const operation = {
      operationId: `call ${index} ${name}`,
      summary: `DataOf ItemOf PagedOperation ${name}`,
      security: [{ [schemeOf(name)]: [] }],
      parameters: [query(name), { ...query(name), in: "cookie" }, query(`only ${name}`)],
      requestBody: {
        required: true,
        ...json(object({ [name]: refTo(name), list: { type: "array", items: refTo(name) } })),
      },
      responses: { 200: json(refTo(name)) },
    };
    return [`/${index}`, { post: operation }];
  });
  const schemas = names.map((name) => [
    name,
    { ...object({ at: { type: "string", format: "date-time" }, [name]: string }), description: name },
  ]);
  const recursive = { anyOf: [string, { type: "array", items: refTo("tree\u00001") }] };
  return {
    openapi: "3.1.1",
    info: { title: "T", version: "1" },
    paths: Object.fromEntries(paths) as object,
    components: {
      schemas: { ...Object.fromEntries(schemas), ["tree\u00001"]: recursive } as object,
      securitySchemes: Object.fromEntries(names.map((name) => [schemeOf(name), bearer])) as object,
    },
  };
}

test("control characters, quotes, ends of comments and names of every object make a client that compiles and calls", async () => {
  using client = await generatedClient(documentOfNames(ODD_NAMES), {
    features: ["testing", "contract-check", "react-query"],
    dates: "Date",
  });
  expect(compile(client, "")).toBe("");
  const at = "2030-12-05T00:00:00.000Z";
  for (const [index, name] of ODD_NAMES.entries()) {
    const sent: [url: string, ...headers: (string | null)[]][] = [];
    const own = client.create({
      baseUrl: "https://a.test",
      credentials: { [schemeOf(name)]: `key-${index}` },
      fetch: ({ url, headers }: Request) => {
        sent.push([url, headers.get("Authorization"), headers.get("Cookie")]);
        return Promise.resolve(Response.json({ at }));
      },
    });
    const operation = Object.keys(client.operations)[index]!;
    const result = await own[operation]!({
      [`query.${name}`]: "a",
      [`cookie.${name}`]: "b",
      [`only ${name}`]: "c",
      body: {},
    });
    const encoded = encodeURIComponent(name);
    expect([result.error, result.data]).toEqual([undefined, { at: new Date(at) }]);
    expect(sent).toEqual([
      [new URL(`https://a.test/${index}?${encoded}=a&only%20${encoded}=c`).href, `Bearer key-${index}`, `${encoded}=b`],
    ]);
  }
});

test("operations that differ in case or punctuation, and parameters of one name in all locations, have types of their own", async () => {
  const schemas = [string, integer, { type: "boolean" }, { type: "number" }];
  const places = ["path", "query", "header", "cookie"];
  const parameters = places.map((place, index) => ({ name: "id", in: place, required: true, schema: schemas[index] }));
  const operationOf = (operationId: string, schema: object) => ({
    operationId,
    parameters,
    responses: { 200: json(schema) },
  });
  using client = await generatedClient({
    openapi: "3.1.1",
    info: { title: "T", version: "1" },
    paths: {
      "/{id}": {
        get: operationOf("get-pet", string),
        put: operationOf("getPet", integer),
        post: operationOf("GetPet", { type: "boolean" }),
      },
    },
  });
  const program = `import { createThing, type Data, type GetPetInput, type GetPet2Input } from "./index.ts";
const thing = createThing({ baseUrl: "" });
const input: GetPetInput & GetPet2Input = { "path.id": "a", "query.id": 1, "header.id": true, "cookie.id": 0.5 };
const text: string = await thing.getPet2(input).orThrow();
const whole: number = await thing.getPet(input).orThrow();
const isPet: Data<"GetPet"> = await thing.GetPet(input).orThrow();
void [text, whole, isPet === true];
`;
  expect(compile(client, program)).toBe("");
});

const schemaTypes = {
  Open: { type: "array", prefixItems: [string, integer] },
  Pair: { type: "array", prefixItems: [string, integer], items: { type: "boolean" }, minItems: 1 },
  Closed: { type: ["array", "null"], prefixItems: [string, integer], items: false, minItems: 2 },
  Short: { type: "array", prefixItems: [string, integer], maxItems: 1, unevaluatedItems: true },
  Expression: { anyOf: [string, { type: "array", prefixItems: [string], items: ref("Expression"), minItems: 1 }] },
  Base: object({ name: string }, ["name"]),
  Counts: { ...object({ name: string }), unevaluatedProperties: integer },
  Texts: { type: "object", unevaluatedProperties: string },
  Extended: { allOf: [ref("Base")], ...object({ size: integer }), unevaluatedProperties: false },
  Flagged: { ...ref("Base"), unevaluatedProperties: { type: "boolean" } },
};

const SCHEMA_TYPES = `import type { Open, Pair, Closed, Short, Expression, Counts, Texts, Extended, Flagged } from "./index.ts";
import { createFakeThing } from "./testing.ts";
void createFakeThing;
export const open: Open[] = [[], ["a"], ["a", 1], ["a", 1, null, {}]];
export const pairs: Pair[] = [["a"], ["a", 1], ["a", 1, true, false]];
export const closed: Closed[] = [["a", 1], null];
export const short: Short[] = [[], ["a"]];
export const expressions: Expression[] = ["a", ["a"], ["a", "b", ["c", ["d"]]]];
export const read = (pair: Pair): [string, number | undefined, boolean | undefined] => [pair[0], pair[1], pair[5]];
export const counts: Counts = { name: "a", x: 1 };
export const texts: Texts = { any: "a" };
export const size: string | number | undefined = counts["x"];
export const text: string | undefined = texts["any"];
export const extended: Extended = { name: "a", size: 1 };
export const flagged: Flagged = { name: "a", isNew: true };
// @ts-expect-error an item is missing
export const one: Closed = ["a"];
// @ts-expect-error there is no third item
export const three: Closed = ["a", 1, 2];
// @ts-expect-error further items are booleans
export const wrong: Pair = ["a", 1, "b"];
// @ts-expect-error the first item is required
export const none: Pair = [];
// @ts-expect-error further fields are integers
export const flag: Counts = { name: "a", x: true };
// @ts-expect-error there is no further field
export const further: Extended = { name: "a", other: 1 };
`;

test("tuples are as long as minItems and items say, and unevaluatedProperties is the type of further fields", async () => {
  const paths = { "/": both("send", "Open") };
  const components = { schemas: schemaTypes };
  using client = await generatedClient(
    { openapi: "3.1.1", info: { title: "T", version: "1" }, paths, components },
    { features: ["testing"] },
  );
  expect(compile(client, SCHEMA_TYPES)).toBe("");
});

test("a wrong parameter of a client with 500 operations is one short message, and results show their fields", async () => {
  const paths = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [
      `/things${index}/{id}`,
      {
        get: {
          operationId: `getThing${index}`,
          parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
          responses: { 200: json({ type: "object", properties: { name: string } }) },
        },
      },
    ]),
  );
  using large = await generatedClient({ openapi: "3.1.1", info: { title: "T", version: "1" }, paths });
  const errors = compile(
    large,
    `import { createThing } from "./index.ts";
const thing = createThing({ baseUrl: "" });
void thing.GET("/things7/{id}", { params: { path: { id: "seven" } } });
void thing.getThing7({ idd: 7 });
const { data } = await thing.GET("/things7/{id}", { params: { path: { id: 7 } } });
void data?.nam;`,
  );
  const lines = errors
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/^.*?error TS\d+: /, ""));
  expect(lines).toEqual([
    "Type 'string' is not assignable to type 'number'.",
    "Object literal may only specify known properties, and 'idd' does not exist in type 'GetThing7Input'.",
    "Property 'nam' does not exist on type '{ name?: string; }'. Did you mean 'name'?",
  ]);
});
