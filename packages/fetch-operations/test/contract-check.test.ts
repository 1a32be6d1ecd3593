import { describe, expect, test } from "vitest";
import type { OpenApiDocument } from "openapi-document";
import { checkContract } from "../src/contract/contract-check.ts";
import { connectTo } from "../src/index.ts";
import { contract } from "./library/src/generated/contract.ts";
import { document } from "./library/src/generated/document.ts";
import { createLibrary } from "./library/src/generated/index.ts";
import { api, respond, shop } from "./shop.ts";
import { fingerprints } from "../src/contract/fingerprint.ts";

type Paths = Record<string, Record<string, { responses: Record<string, object> }>>;

async function check(published: unknown, base = "/api/v2") {
  const text = typeof published === "string" ? published : JSON.stringify(published);
  const seen: unknown[] = [];
  await using server = await shop((request, response) => {
    seen.push(request.headers.authorization, request.headers["x-note"]);
    respond(200, text)(request, response);
  });
  const library = createLibrary({ baseUrl: server.baseUrl + base, token: "t", retry: false });
  expect(library.contract).toBe(contract);
  const result = await library.checkContract({ headers: { "X-Note": "n" } });
  expect(seen).toEqual([undefined, "n"]);
  return { result, requests: server.requests };
}

describe("the check of the published contract", () => {
  test("finds no difference to the client's own, and ignores servers", async () => {
    const own = { compatible: true, changed: [], removed: [], added: ["internal"], client: contract, server: contract };
    const { result, requests } = await check(document);
    expect([result, requests]).toEqual([own, ["GET /api/contract/openapi.json"]]);
    const { servers: _, ...rest } = document;
    expect((await check({ ...rest, servers: [{ url: "/x" }] }, "/v2/")).result).toEqual(own);
  });

  test("reads bounds that a JavaScript number rounds, as in the document of OpenAI", async () => {
    const text = JSON.stringify({ ...document, "x-bounds": { maximum: 0.5 } }).replace("0.5", "9223372036854775807");
    expect((await check(text)).result.compatible).toBe(true);
  });

  test("sends no header to another origin", async () => {
    await using server = await shop(respond(200, JSON.stringify(document)));
    await using other = await shop(respond(200, JSON.stringify(document)));
    const connection = connectTo(api, { baseUrl: server.baseUrl, headers: { "X-Key": "secret" } });
    for (const path of [`${other.baseUrl}/openapi.json`, other.baseUrl.replace("http:", "")])
      await expect(checkContract(connection, contract, {}, path)).rejects.toThrow(
        `The contract at ${path} does not have the origin of baseUrl. Set publishedContract to a path.`,
      );
    expect(other.requests).toEqual([]);
  });

  test("lists changed, removed and added operations", async () => {
    const changed = structuredClone(document);
    const paths = changed.paths as Paths;
    paths["/loans"]!["get"]!.responses["201"] = { description: "" };
    delete paths["/lines"];
    paths["/new"] = { get: { responses: {} } };
    (changed["info"] as { version: string }).version = "3.0.0";
    const { result } = await check(changed);
    expect(result).toMatchObject({
      compatible: false,
      changed: ["listLoans"],
      removed: ["readLines"],
      added: ["GET /new"],
      client: contract,
      server: { version: "3.0.0", hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(result.server.hash).not.toBe(contract.hash);
    const { "/lines": lines, ...others } = document.paths as Paths;
    expect((await check({ ...document, paths: others })).result).toMatchObject({
      compatible: false,
      changed: [],
      removed: ["readLines"],
    });
    const same = {
      ...document,
      paths: { ...others, "/lines": { ...lines, get: { ...lines!["get"], responses: {} } } },
    };
    expect((await check(same)).result).toMatchObject({ compatible: false, changed: ["readLines"], removed: [] });
  });

  test.each([
    "<h1>Not here</h1>",
    "null",
    "[]",
    '{"paths":{}}',
    '{"info":{"version":1},"paths":{}}',
    '{"info":{"version":"1"}}',
    '{"info":{"version":"1"},"paths":null}',
    '{"info":{"version":"1"},"paths":"a"}',
    '{"info":{"version":"1"},"paths":{"/a":{"get":{"parameters":[{"$ref":"#/nowhere"}]}}}}',
  ])("rejects a document that is not OpenAPI: %s", async (text) => {
    const error = { name: "LibraryError", operationId: "checkContract", code: "unreadable_answer", bodyStart: text };
    await expect(check(text)).rejects.toMatchObject(error);
  });
});

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
    ["a NUL character in a value", [schema({ enum: [] })], [schema({ enum: ["\0"] })]],
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
    await expect(digestOf(schema(ref("schemas/A")))).rejects.toThrow("has no target");
  });
});
