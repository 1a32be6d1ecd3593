import { describe, expect, test } from "vitest";
import { checkContract } from "../src/contract/contract-check.ts";
import { connectTo } from "../src/index.ts";
import { contract } from "./library/src/generated/contract.ts";
import { document } from "./library/src/generated/document.ts";
import { createLibrary } from "./library/src/generated/index.ts";
import { respond, shop } from "./shop.ts";
import { api } from "./test-api.ts";

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
        `The contract at ${path} is not of the origin of baseUrl. Set publishedContract to a path.`,
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
