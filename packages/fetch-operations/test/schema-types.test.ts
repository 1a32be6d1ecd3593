import { expect, test } from "vitest";
import { typesOfSchema } from "../src/contract/schema-types.ts";
import { compile, generatedClient } from "./generated-client.ts";
import { integer, json, object, ref, response, string } from "./schemas.ts";

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

test("the types of a schema are found though it leads to itself several times", () => {
  const schemas = { Self: { oneOf: [string, ref("Self"), { allOf: [ref("Self")] }, ref("Self")] } };
  const document = { openapi: "3.1.1", paths: {}, components: { schemas } };
  expect(typesOfSchema(document, ref("Self"))).toEqual(new Set(["string", "any"]));
  expect(typesOfSchema(document, { oneOf: [string, string, { allOf: [string] }] })).toEqual(new Set(["string"]));
});
