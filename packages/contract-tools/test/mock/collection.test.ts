import type { OpenApiDocument, Schema } from "openapi-document";
import { describe, expect, test } from "vitest";
import { Collection } from "../../src/mock/collection.ts";
import { json, serve } from "./serve.ts";

const REX = { id: 1, name: "Rex", status: "sold" };
const MIA = { id: 7, name: "Mia", status: "available" };
const animals = (schema: Schema = { type: "integer" }) => new Collection("id", schema, [REX, MIA]);

describe("the id of a new member", () => {
  test("is greater than all earlier ids, and is never reused", async () => {
    const collection = animals();
    expect(await collection.add({ name: "Kim", id: 3 })).toEqual({ name: "Kim", id: 8 });
    collection.remove(8);
    expect(await collection.add({})).toEqual({ id: 8 }); // the greatest remaining id is 7
    expect(await new Collection("id", {}, []).add({})).toEqual({ id: 1 });
    const emptied = new Collection("id", {}, [{ id: 1 }, { id: 2 }]);
    emptied.remove(1);
    emptied.remove(2);
    expect(await emptied.add({})).toEqual({ id: 3 });
  });

  test("is a string if the schema has one", async () => {
    expect(await animals({ type: "string" }).add({})).toEqual({ id: "8" });
    expect(await animals({ type: ["string", "null"] }).add({})).toEqual({ id: "8" });
    expect((await animals({ format: "uuid" }).add({}))["id"]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    const strings = new Collection("id", { type: "string" }, [{ id: "a" }, { id: "5" }]);
    expect(await strings.add({})).toEqual({ id: "6" });
    expect(await new Collection("id", { type: "string", minLength: 4 }, []).add({})).toEqual({ id: "0001" });
  });

  test.each<[name: string, schema: Schema]>([
    ["pattern", { type: "string", pattern: "^[a-c]$" }],
    ["format", { type: "string", format: "date" }],
    ["list of values", { enum: ["a", "b", "c"] }],
  ])("is drawn until it is free for a schema with a %s", async (_name, schema) => {
    const values = ["a", "a", "b", "b", "c"];
    const collection = new Collection("id", schema, [{ id: "a" }], () => values.shift());
    expect(await collection.add({})).toEqual({ id: "b" });
    expect(await collection.add({})).toEqual({ id: "c" });
  });

  test("is the drawn one if none is free", async () => {
    const collection = new Collection("id", { type: "string", pattern: "^only$" }, [{ id: "only" }], () => "only");
    expect(await collection.add({})).toEqual({ id: "only" });
  });

  test("is at least the minimum of the schema", async () => {
    expect(await new Collection("id", { type: "integer", minimum: 1_000 }, []).add({})).toEqual({ id: 1_000 });
  });
});

describe("a member", () => {
  test("is found by its id as a number or as a string", () => {
    expect([animals().find(7), animals().find("7"), animals().find("8")]).toEqual([MIA, MIA, undefined]);
  });

  test("keeps its id and its position when it is replaced", () => {
    const collection = animals();
    expect(collection.put("1", { id: 9, name: "Rexy" })).toEqual({ id: 1, name: "Rexy" });
    expect(collection.put("9", { name: "Nobody" })).toBeUndefined();
    expect(collection.page({})?.members).toEqual([{ id: 1, name: "Rexy" }, MIA]);
  });

  test("is returned once when it is removed", () => {
    const collection = animals();
    expect([collection.remove("1"), collection.remove("1")]).toEqual([REX, undefined]);
    expect(collection.page({})).toEqual({ members: [MIA], cursor: undefined });
  });
});

describe("a page", () => {
  test("contains the members that match every filter", () => {
    const collection = animals();
    expect(collection.page({ status: "sold" })?.members).toEqual([REX]);
    expect(collection.page({ status: "sold", name: "Mia" })?.members).toEqual([]);
  });

  test("ends at its limit, and has a cursor while more members follow", () => {
    const collection = animals();
    const first = collection.page({}, 1)!;
    expect(first.members).toEqual([REX]);
    collection.remove(1);
    expect(collection.page({}, 1, first.cursor)).toEqual({ members: [MIA], cursor: undefined });
    expect(collection.page({}, 2)).toEqual({ members: [MIA], cursor: undefined });
  });

  test.each(["", "zzz", "MQ=", "MS41", "LTE=", "MDE"])(
    "is undefined for a cursor that no page returned: %s",
    (cursor) => {
      expect(animals().page({}, 1, cursor)).toBeUndefined();
    },
  );
});

test.each<[name: string, id: Schema]>([
  ["uuid", { type: "string", format: "uuid" }],
  ["uuid as a choice", { oneOf: [{ type: "string", format: "uuid" }, { type: "integer" }] }],
  ["email", { type: "string", format: "email" }],
  ["date", { type: "string", format: "date" }],
  ["byte", { type: "string", format: "byte" }],
  ["IPv6 address", { type: "string", format: "ipv6" }],
  ["pattern of digits", { type: "string", pattern: "^x[0-9]+$" }],
  ["pattern of letters", { type: "string", pattern: "^[A-Z]{3}$", minLength: 3 }],
  ["exact length", { type: "string", pattern: "^[a-z]+$", minLength: 8, maxLength: 8 }],
  ["listed texts", { type: "string", enum: ["a", "b", "c", "d"] }],
  ["listed numbers", { type: "integer", enum: [7, 8, 9, 10] }],
  ["range", { type: "integer", minimum: 5, maximum: 8 }],
  ["negative range", { type: "integer", minimum: -4, maximum: -1 }],
  ["exclusive range", { type: "integer", exclusiveMinimum: 100, exclusiveMaximum: 105 }],
  ["multiples", { type: "integer", multipleOf: 10, minimum: 15 }],
])("three creations get three ids that the contract allows: %s", async (_name, id) => {
  const { request } = await serve({ document: contractWith(id) });
  const responses = await Promise.all([1, 2, 3].map(() => request("/things", json({}))));
  expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]); // the mock validates its own responses
  const created = (await Promise.all(responses.map((response) => response.json()))) as { id: unknown }[];
  expect(new Set(created.map((thing) => thing.id)).size).toBe(3);
});

/** Returns a contract with one collection, whose list has one member. */
function contractWith(id: Schema): OpenApiDocument {
  const thing = { type: "object", required: ["id"], properties: { id } };
  const response = (schema: object) => ({ description: "", content: { "application/json": { schema } } });
  return {
    openapi: "3.1.1",
    paths: {
      "/things": {
        get: { operationId: "list", responses: { 200: response({ type: "array", items: thing }) } },
        post: {
          operationId: "create",
          requestBody: { content: { "application/json": { schema: { type: "object" } } } },
          responses: { 201: response(thing) },
        },
      },
    },
  };
}
