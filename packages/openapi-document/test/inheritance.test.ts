import { expect, test } from "vitest";
import { ValueMaker } from "../src/example/valid-value.ts";
import { readableDocument } from "../src/openapi-3-2.ts";
import { listedValuesOf, nonNullTypesOf } from "../src/schema/effective-schema.ts";

test("a document without children that inherit from a parent that lists them is not copied", () => {
  const document = {
    openapi: "3.1.0",
    components: {
      schemas: { Cat: { allOf: [{ $ref: "#/components/schemas/Pet" }] }, Pet: { anyOf: [{ type: "object" }] } },
    },
  };
  expect(readableDocument(document)).toBe(document);
});

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const text = { type: "string" };
const lives = { type: "object", required: ["lives"], properties: { lives: { const: 9 } } };
const Pet = { type: "object", required: ["kind"], properties: { kind: text }, oneOf: [ref("Cat")] };
const Cat = { allOf: [ref("Pet"), lives] };

test.each<[name: string, schemas: Record<string, object>, value: unknown]>([
  ["Pet", { Pet, Cat }, { kind: "x", lives: 9 }],
  ["Cat", { Pet, Cat }, { kind: "x", lives: 9 }],
  ["Pet", { Pet: { ...Pet, discriminator: { propertyName: "kind" } }, Cat }, { kind: "Cat", lives: 9 }],
  ["Self", { Self: { oneOf: [ref("Self"), text] } }, "x"],
  ["Self", { Self: { anyOf: [ref("Other")] }, Other: { type: "integer", oneOf: [ref("Self")] } }, 1],
  // oxlint-disable-next-line unicorn/no-thenable
  ["Self", { Self: { type: "boolean", if: {}, then: ref("Self") } }, true],
  ["Self", { Self: { required: ["a"], dependentSchemas: { a: ref("Self") } } }, { a: "x" }],
])("a value of %s is made once for each choice, though the choice leads back: %j", (name, schemas, value) => {
  const maker = new ValueMaker({ openapi: "3.1.0", paths: {}, components: { schemas } }, "it", { isResponse: true });
  expect(maker.make(ref(name))).toEqual(value);
});

test("a value of very many choices is given up", () => {
  const levels = Array.from({ length: 150 }, (_, level) => [`L${level}`, { oneOf: [ref(`L${level + 1}`)] }]);
  const schemas = { ...(Object.fromEntries(levels) as object), L150: text };
  const maker = new ValueMaker({ openapi: "3.1.0", paths: {}, components: { schemas } }, "it");
  expect(() => maker.make(ref("L0"))).toThrow("The document gives no example for it: add one.");
  expect(maker.make(ref("L75"))).toBe("x");
});

test("types and listed values are found though a schema leads to itself, and others double on each level", () => {
  const levels = Array.from({ length: 40 }, (_, level) => [
    `L${level}`,
    { anyOf: Array(2).fill(ref(`L${level + 1}`)) },
  ]);
  const Self = { oneOf: [{ type: "string", const: "a" }, ref("Self")] };
  const schemas = { ...(Object.fromEntries(levels) as object), L40: { const: 1 }, Self };
  const document = { openapi: "3.1.0", paths: {}, components: { schemas } };
  expect(nonNullTypesOf(document, ref("L0"))).toEqual(new Set(["integer"]));
  expect(nonNullTypesOf(document, ref("Self"))).toEqual(new Set());
  expect(listedValuesOf(document, ref("L0"))).toEqual([1]);
  expect(listedValuesOf(document, ref("Self"))).toEqual(["a"]);
});
