import { rmSync } from "node:fs";
import { join } from "node:path";
import { build, type Rolldown } from "vite";
import { expect, onTestFinished, test } from "vitest";
import { findService, proxyTo } from "../backend.ts";

const root = join(import.meta.dirname, "..");

test("the page builds, and no file of it has an API key", async () => {
  const outDir = join(root, ".turbo/quick");
  onTestFinished(() => rmSync(outDir, { recursive: true, force: true }));
  const { output } = (await build({ root, logLevel: "error", build: { outDir } })) as Rolldown.RolldownOutput;
  const names = output.map(({ fileName }) => fileName.replace(/-[\w-]{8}\./, "."));
  expect(names.toSorted()).toEqual(expect.arrayContaining(["assets/index.css", "assets/index.js", "index.html"]));
  for (const file of output) expect("code" in file ? file.code : String(file.source)).not.toMatch(/pst_(?:test|live)_/);
});

test("requests below /v1 alone are passed on, below the path of the service", () => {
  const [[pattern, options] = []] = Object.entries(proxyTo({ baseUrl: "https://pets.test/api/v1/", apiKey: "secret" }));
  const isPassedOn = (path: string) => new RegExp(pattern!).test(path);
  expect(["/v1/pets", "/v1?x", "/v1"].filter(isPassedOn)).toHaveLength(3);
  expect(["/", "/v10/pets", "/src/v1/"].filter(isPassedOn)).toEqual([]);
  expect(options!.rewrite!("/v1/pets?limit=1")).toBe("/api/v1/pets?limit=1");
  expect(options).toMatchObject({ target: "https://pets.test", headers: { authorization: "Bearer secret" } });
});

test("an address without a service is reported without the key", async () => {
  const found = await findService({ PETSTORE_URL: "http://127.0.0.1:9/v1", PETSTORE_KEY: "pst_test_secret" });
  expect(found).toBe("No service responds at http://127.0.0.1:9/v1.");
  expect(await findService({ PETSTORE_URL: "nonsense" })).toBe("PETSTORE_URL is not a URL: nonsense.");
});
