import { describe, expect, test } from "vitest";
import { annotationChanges } from "../src/comparison/compare.ts";

type Node = Record<string, unknown>;

const found = (before: Node, after: Node) =>
  annotationChanges({ before, after }).map(({ place, subject, what }) => `${place}: ${subject} ${what}`);
const operation = (node: Node) => ({ paths: { "/pets": { get: node } } });

describe("a user-defined name is not a description", () => {
  test.each(
    "paths webhooks callbacks responses headers content links encoding variables schemas parameters requestBodies securitySchemes pathItems flows properties patternProperties dependentSchemas $defs".split(
      " ",
    ),
  )("below %s", (map) => {
    const node = (description: unknown) => ({ openapi: "3.1.1", holder: { [map]: { description } } });
    expect(found(node("a"), node("b"))).toEqual([]);
    expect(found(node({ description: "a" }), node({ description: "b" }))).toEqual([
      `holder/${map}/description: \`description\` changes`,
    ]);
  });

  test.each("default enum const security required dependentRequired mapping scopes".split(" "))("in %s", (keyword) => {
    const node = (description: string) => ({ holder: { [keyword]: { description } } });
    expect(found(node("a"), node("b"))).toEqual([]);
  });
});

describe("an extension", () => {
  test.each(
    "x-deprecated-at x-sunset x-successor x-allow-unknown-query-parameters x-eov-allow-unknown-query-parameters".split(
      " ",
    ),
  )("%s is not an annotation", (name) => {
    expect(found(operation({}), operation({ [name]: "a" }))).toEqual([]);
  });

  test.each(["x-owner", "x-sunset-note", "x-x-sunset"])("%s is an annotation", (name) => {
    expect(found(operation({}), operation({ [name]: "a" }))).toEqual([`GET /pets: \`${name}\` is added`]);
  });
});

describe("a change of a description is reported", () => {
  test.each<[name: string, before: Node, after: Node, expected: string[]]>([
    ["of the document", { tags: [] }, { tags: [{ name: "a" }] }, ["the document: `tags` changes"]],
    ["of its info", { info: { version: "1" } }, { info: { version: "2" } }, ["info: `version` changes"]],
    ["of a path", { paths: { "/a": { summary: "a" } } }, { paths: { "/a": {} } }, ["paths//a: `summary` is removed"]],
    ["of an operation", operation({ summary: "a" }), operation({ summary: "b" }), ["GET /pets: `summary` changes"]],
    [
      "of a part of an operation",
      operation({ requestBody: { description: "a" } }),
      operation({ requestBody: { description: "b" } }),
      ["GET /pets: `description` of requestBody changes"],
    ],
    [
      "far below a component",
      { components: { schemas: { Pet: { items: { description: "a" } } } } },
      { components: { schemas: { Pet: { items: { description: "b" } } } } },
      ["components/schemas/Pet/items: `description` changes"],
    ],
    ["but not after a new reference", { a: { description: "a" } }, { a: { $ref: "#/b", description: "b" } }, []],
    ["but not after a removed reference", { a: { $ref: "#/b", description: "b" } }, { a: { description: "a" } }, []],
    [
      "beside an unchanged reference",
      { a: { $ref: "#/b", title: "a" } },
      { a: { $ref: "#/b" } },
      ["a: `title` is removed"],
    ],
    [
      "in a map with a field that looks like a reference",
      { a: { properties: { $ref: {}, b: { title: "a" } } } },
      { a: { properties: { b: { title: "b" } } } },
      ["a/properties/b: `title` changes"],
    ],
    ["but not of null", { a: null }, { a: null }, []],
    ["but not if an object becomes null", { a: { title: "a" } }, { a: null }, []],
    ["but not if a list becomes an object", { a: [{ title: "a" }] }, { a: { title: "b" } }, []],
  ])("%s", (_name, before, after, expected) => {
    expect(found(before, after)).toEqual(expected);
  });

  test.each(["in", "name", "url", "$ref", "type"])("in a list with items identified by %s", (key) => {
    const [one, other] = [{ [key]: "a" }, { [key]: "b" }];
    const before = { list: [one, { ...other, title: "a" }] };
    expect(found(before, { list: [{ ...other, title: "b" }, one] })).toEqual(["list/0: `title` changes"]);
    expect(found(before, { list: [one] })).toEqual([]);
  });

  test("in a list with equal items, by their order", () => {
    const list = (...titles: string[]) => ({ list: titles.map((title) => ({ type: "a", title })) });
    expect(found(list("a", "b"), list("a", "c"))).toEqual(["list/1: `title` changes"]);
    expect(found(list("a", "b"), list("c", "b"))).toEqual(["list/0: `title` changes"]);
  });

  test("with its place, except for a removal", () => {
    const after = { info: { title: "b" } };
    const changes = annotationChanges({ before: { info: { title: "a", summary: "a" } }, after });
    expect(changes.map(({ at }) => at)).toEqual([{ node: after.info, key: "title" }, undefined]);
    expect(changes.map((change) => Object.hasOwn(change, "at"))).toEqual([true, false]);
  });
});
