import { describe, expect, test } from "vitest";
import { fingerprints } from "../src/contract/fingerprint.ts";
import type { OpenApiDocument } from "openapi-document";

describe("the digest of an operation", () => {
  const documentOf = (operation: object, components: object = {}, item: object = {}) =>
    ({
      openapi: "3.1.1",
      paths: { "/a": { ...item, get: { operationId: "x", ...operation } } },
      components,
    }) as OpenApiDocument;
  const digestOf = async (...given: Parameters<typeof documentOf>) => (await fingerprints(documentOf(...given)))["x"];
  const schema = (own: object) => ({ responses: { 200: { content: { "application/json": { schema: own } } } } });
  const named = (own: object) => ({ schemas: { A: own } });
  const ref = (name: string) => ({ $ref: `#/components/${name}` });

  test.each<[title: string, one: Parameters<typeof documentOf>, other: Parameters<typeof documentOf>]>([
    ["prose", [{}], [{ summary: "S", description: "D", tags: ["T"], externalDocs: {} }]],
    ["examples", [schema({})], [schema({ example: 1, examples: [2], description: "D" })]],
    ["the order of fields", [schema({ type: "string", minLength: 1 })], [schema({ minLength: 1, type: "string" })]],
    ["an unused schema", [{}], [{}, named({ type: "string" })]],
    [
      "the prose of a property named properties",
      [schema({ properties: { properties: { type: "string" } } })],
      [schema({ properties: { properties: { type: "string", description: "D" } } })],
    ],
    [
      "the prose behind a reference",
      [schema(ref("schemas/A")), named({})],
      [schema(ref("schemas/A")), named({ description: "D" })],
    ],
    ["the name of a schema", [schema(ref("schemas/A")), named({})], [schema(ref("schemas/B")), { schemas: { B: {} } }]],
  ])("does not depend on %s", async (_title, one, other) => {
    expect(await digestOf(...one)).toMatch(/^[0-9a-f]{16}$/);
    expect(await digestOf(...other)).toBe(await digestOf(...one));
  });

  test.each<[title: string, one: Parameters<typeof documentOf>, other: Parameters<typeof documentOf>]>([
    ["a field", [schema({})], [schema({ type: "string" })]],
    ["a property named like a prose field", [schema({ properties: { tags: {} } })], [schema({ properties: {} })]],
    [
      "the schema of such a property",
      [schema({ properties: { tags: {} } })],
      [schema({ properties: { tags: { type: "string" } } })],
    ],
    [
      "a pattern property named like a prose field",
      [schema({ patternProperties: { example: {} }, $defs: { a: {} } })],
      [schema({ $defs: { a: {} } })],
    ],
    ["the order of a list", [schema({ enum: [1, 2] })], [schema({ enum: [2, 1] })]],
    [
      "the target of a reference",
      [schema(ref("schemas/A")), named({})],
      [schema(ref("schemas/A")), named({ type: "string" })],
    ],
    [
      "a keyword beside a reference",
      [schema(ref("schemas/A")), named({})],
      [schema({ ...ref("schemas/A"), minLength: 1 }), named({})],
    ],
    [
      "the target of a reference in a cycle",
      [schema(ref("schemas/A")), named({ properties: { a: ref("schemas/A"), b: {} } })],
      [schema(ref("schemas/A")), named({ properties: { a: ref("schemas/A"), b: { type: "string" } } })],
    ],
    ["a parameter of its path", [{}], [{}, {}, { parameters: [{ name: "id", in: "path" }] }]],
  ])("depends on %s", async (_title, one, other) => {
    expect(await digestOf(...other)).not.toBe(await digestOf(...one));
  });

  test("covers circular schemas, null and every method", async () => {
    const schemas = { A: { properties: { b: ref("schemas/B") } }, B: { properties: { a: ref("schemas/A") } } };
    expect(await digestOf(schema(ref("schemas/A")), { schemas })).toMatch(/^[0-9a-f]{16}$/);
    expect(await digestOf(schema({ enum: [null, 1, "a"] }))).toMatch(/^[0-9a-f]{16}$/);
    const item = Object.fromEntries(
      ["get", "put", "post", "delete", "options", "head", "patch", "trace"].map((method) => [method, {}]),
    );
    const digests = await fingerprints({ openapi: "3.1.1", paths: { "/a": { ...item, parameters: [] } } });
    expect(Object.keys(digests)).toEqual(Object.keys(item).map((method) => `${method.toUpperCase()} /a`));
    expect(new Set(Object.values(digests)).size).toBe(8);
  });

  test("takes no longer for schemas that all refer to each other", async () => {
    const names = Array.from({ length: 40 }, (_, number) => `S${number}`);
    const properties = Object.fromEntries(names.map((name) => [name, ref(`schemas/${name}`)]));
    const schemas = Object.fromEntries(names.map((name) => [name, { title: name, properties }]));
    expect(await digestOf(schema(ref("schemas/S0")), { schemas })).toMatch(/^[0-9a-f]{16}$/);
  });

  test("follows pointers with escapes (RFC 6901)", async () => {
    const pointer = { $ref: "#/components/a~1b/c~0d/%C3%A9%20f" };
    const digests = ["string", "number"].map((type) =>
      digestOf(schema(pointer), { "a/b": { "c~d": { "é f": { type } } } }),
    );
    expect(new Set(await Promise.all(digests)).size).toBe(2);
  });

  test("rejects a reference without a target", async () => {
    await expect(digestOf(schema(ref("schemas/A")))).rejects.toThrow("points at nothing");
  });
});
