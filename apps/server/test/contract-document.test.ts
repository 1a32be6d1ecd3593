import { document } from "@petstore/contract/document";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { startService, type TestService } from "./service.ts";

let service: TestService;
beforeAll(async () => void (service = await startService()));
afterAll(() => service[Symbol.asyncDispose]());

const get = (path: string, init?: RequestInit) => fetch(new URL(path, service.baseUrl), init);

describe.each([
  ["/openapi.json", "application/json", (text: string): unknown => JSON.parse(text)],
  ["/openapi.yaml", "application/yaml", (text: string): unknown => parse(text)],
] as const)("%s", (path, type, read) => {
  test("is the contract, without a key, for a page of any origin", async () => {
    const response = await get(path, { headers: { Origin: "https://elsewhere.example" } });
    expect(response.headers.get("Content-Type")).toBe(type);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(read(await response.text())).toEqual(document);
  });

  test("has a strong ETag, which costs 304 when asked again", async () => {
    const tag = (await get(path)).headers.get("ETag")!;
    expect(tag).toMatch(/^"[\w-]{22}"$/);
    for (const held of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
      const again = await get(path, { headers: { "If-None-Match": held } });
      expect([held, again.status, again.headers.get("ETag"), await again.text()]).toEqual([held, 304, tag, ""]);
    }
    expect((await get(path, { headers: { "If-None-Match": '"other"' } })).status).toBe(200);
  });

  test("HEAD tells the same without the body", async () => {
    const response = await get(path, { method: "HEAD" });
    expect(response.headers.get("ETag")).toBe((await get(path)).headers.get("ETag"));
    expect(Number(response.headers.get("Content-Length"))).toBeGreaterThan(10_000);
  });
});

test("YAML has long texts as blocks, to be read by people", async () => {
  const text = await (await get("/openapi.yaml")).text();
  expect(text).toContain("  description: |\n    List animals, add one, fetch one.\n\n    ## Authentication\n");
});
