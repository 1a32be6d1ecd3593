import { describe, expect, test } from "vitest";
import { shapesOf } from "../src/contract/shapes.ts";

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const int64 = { type: "integer", format: "int64" };
const time = { type: "string", format: "date-time" };
const day = { type: "string", format: "date" };
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const documentOf = (schemas: object) => ({ openapi: "3.1.1", components: { schemas } });
const ALL = { int64: "bigint", dates: "Temporal" } as const;

describe("the shape of a schema", () => {
  const schemas = {
    Id: int64,
    Plain: { type: "string" },
    Base: object({ id: int64, at: time }),
    Other: object({ day }),
  };
  // Each kind of pet is an alternative of its base, and has its base as a part.
  const animals = {
    Pet: { ...object({ id: int64 }), oneOf: [ref("Cat"), ref("Dog")] },
    Cat: { allOf: [ref("Pet"), object({ born: time })] },
    Dog: { allOf: [ref("Pet")] },
  };
  Object.assign(schemas, animals, { Alias: ref("Base") });
  const shapeOf = (schema: unknown, config: object = ALL) => shapesOf(documentOf(schemas), config).of(schema as never);

  test.each<[schema: unknown, shape: unknown, config?: object]>([
    [undefined, undefined],
    [true, undefined],
    [int64, "int64"],
    [int64, undefined, { dates: "Date" }],
    [int64, undefined, { int64: "number", dates: "string" }],
    [{ ...int64, type: ["integer", "null"] }, "int64"],
    [{ ...int64, type: "string" }, undefined],
    [{ format: "int64" }, undefined],
    [{ type: "integer", format: "int32" }, undefined],
    [time, "date-time"],
    [time, "date-time", { dates: "Date" }],
    [time, undefined, { int64: "bigint" }],
    [time, undefined, { int64: "bigint", dates: "string" }],
    [{ ...time, type: ["null", "string"] }, "date-time"],
    [{ ...time, type: "integer" }, undefined],
    [day, "date"],
    [day, undefined, { dates: "Date" }],
    [ref("Id"), "#Id"],
    [ref("Plain"), undefined],
    [{ $ref: "#/components/schemas/Base/properties/id" }, "int64"],
    [{ type: "array", items: int64 }, { items: "int64" }],
    [{ type: "array", items: { type: "string" } }, undefined],
    [object({ a: int64, b: { type: "string" }, c: ref("Plain") }), { fields: { a: "int64" } }],
    [object({}, { additionalProperties: time }), { fields: {}, rest: "date-time" }],
    [
      object({ a: day }, { additionalProperties: { items: int64 } }),
      { fields: { a: "date" }, rest: { items: "int64" } },
    ],
    [object({ a: { type: "string" } }, { additionalProperties: true }), undefined],
    [{ oneOf: [int64, { type: "null" }] }, "int64"],
    [{ anyOf: [{ type: "string" }, { allOf: [time] }] }, "date-time"],
    [{ oneOf: [ref("Id"), ref("Id")] }, "#Id"],
    [{ oneOf: [ref("Base"), ref("Plain")] }, { fields: { id: "int64", at: "date-time" } }],
    [{ allOf: [ref("Alias"), object({ day })] }, { fields: { id: "int64", at: "date-time", day: "date" } }],
    [ref("Pet"), "#Pet"],
    [{ allOf: [ref("Cat"), object({ day })] }, { fields: { id: "int64", born: "date-time", day: "date" } }],
    [{ oneOf: [ref("Plain"), int64, ref("Plain")] }, "int64"],
    [{ allOf: [ref("Base"), ref("Other")] }, { fields: { id: "int64", at: "date-time", day: "date" } }],
    [
      { allOf: [object({ a: int64 }, { additionalProperties: day }), object({ b: time, a: int64 })] },
      { fields: { a: "int64", b: "date-time" }, rest: "date" },
    ],
    [
      { allOf: [object({ a: object({ b: int64 }) }), object({ a: object({ c: time }) })] },
      { fields: { a: { fields: { b: "int64", c: "date-time" } } } },
    ],
    [{ oneOf: [{ items: int64 }, { items: int64 }] }, { items: "int64" }],
  ])("%j is %j", (schema, shape, config) => {
    expect(shapeOf(schema, config)).toEqual(shape);
  });

  test.each([
    [{ oneOf: [time, int64] }, '"date-time", "int64"'],
    [{ oneOf: [ref("Base"), { items: int64 }] }, '"#Base", {"items":"int64"}'],
    [{ allOf: [object({ a: int64 }), object({ a: time })] }, '"int64", "date-time"'],
  ])("%j is refused, because it has several", (schema, notations) => {
    expect(() => shapeOf(schema)).toThrow(
      new TypeError(
        `A schema has several notations of dates or integers: ${notations}. Leave out the options int64 and dates.`,
      ),
    );
  });
});

test("the named shapes are those that lead to a place, without references to others", () => {
  const schemas = {
    Leaf: { type: "string" },
    Tree: object(
      { left: ref("Tree"), leaf: ref("Leaf"), all: { items: ref("Leaf") } },
      { additionalProperties: ref("Tree") },
    ),
    List: { items: ref("Node") },
    Node: object(
      {
        at: time,
        list: ref("List"),
        tree: ref("Tree"),
        trees: { items: ref("Tree") },
        map: object({}, { additionalProperties: ref("Tree") }),
      },
      { additionalProperties: ref("Tree") },
    ),
    Alias: ref("Node"),
    Map: object({}, { additionalProperties: ref("Alias") }),
  };
  const { named } = shapesOf(documentOf(schemas), ALL);
  expect(named).toEqual({
    List: { items: "#Node" },
    Node: { fields: { at: "date-time", list: "#List" } },
    Alias: "#Node",
    Map: { fields: {}, rest: "#Alias" },
  });
  expect(shapesOf(documentOf(schemas), {}).named).toEqual({});
  expect(shapesOf({ openapi: "3.1.1" }, ALL).named).toEqual({});
});
