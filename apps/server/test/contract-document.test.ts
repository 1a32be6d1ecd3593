import { codeSamples } from "@petstore/contract/code-samples";
import { document } from "@petstore/contract/document";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { startService, type TestService } from "../testing/service.ts";

let service: TestService;
beforeAll(async () => void (service = await startService()));
afterAll(() => service[Symbol.asyncDispose]());

const get = (path: string, init?: RequestInit) => fetch(new URL(path, service.baseUrl), init);

describe.each([
  ["/openapi.json", "application/json", (text: string): unknown => JSON.parse(text)],
  ["/openapi.yaml", "application/yaml", (text: string): unknown => parse(text)],
] as const)("%s", (path, type, read) => {
  test("returns the contract without a key, to pages of any origin", async () => {
    const response = await get(path, { headers: { Origin: "https://elsewhere.example" } });
    expect(response.headers.get("Content-Type")).toBe(type);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    const { servers, ...served } = read(await response.text()) as typeof document;
    expect({ ...served, servers: servers.slice(1) }).toEqual(document);
  });
});

test("the page's document has code samples in addition, and the published contract does not", async () => {
  const { paths, ...rest } = (await (await get("/docs/openapi.json")).json()) as typeof document;
  expect({ ...rest, paths: document.paths }).toEqual(document);
  expect(paths["/pets"].get).toEqual({ ...document.paths["/pets"].get, "x-codeSamples": codeSamples["GET /pets"] });
  expect(await (await get("/docs")).text()).toContain('"url":"/docs/openapi.json"');
  expect(await (await get("/openapi.json")).text()).not.toContain("x-codeSamples");
});

test("the YAML has long texts as readable blocks", async () => {
  const text = await (await get("/openapi.yaml")).text();
  expect(text).toContain(
    "  description: |\n    List animals, add an animal, fetch an animal.\n\n    ## Authentication\n",
  );
});
