import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cleanClone, type Dev, startDev } from "./start.ts";

const CONTRACT = "openapi/openapi.yaml";
const HANDLERS = "apps/server/src/pets/pets.handlers.ts";
const TYPES = "packages/contract/src/generated/schema.ts";

/** One after the other, as somebody at work would: each test goes on where the one before ended. */
describe("pnpm dev", () => {
  let directory: string;
  let dev: Dev;

  beforeAll(() => {
    directory = cleanClone();
    dev = startDev(directory);
  });
  afterAll(() => dev.interrupt());

  test("at the start it looks at everything once, and starts the service", async () => {
    expect(await dev.report()).toMatch(/no errors in \d+ packages.*\n.*started at http:.*\n.*Nothing to mend\.$/s);
  });

  test("a change to the contract: what it changes, in which direction, what no longer compiles, and the old service goes on", async () => {
    save(CONTRACT, (text) => text.replaceAll("categoryId", "kindId"));
    const report = await dev.report();
    expect(report).toMatch(/types +wrote .*schema\.ts.*; on disk after \d+\.\d\d s/);
    expect(report).toMatch(/changes since the last commit: \d+ breaking/);
    expect(report).toMatch(/breaking +POST \/pets: .*kindId.*\(openapi\/openapi\.yaml:\d+\)/);
    expect(report).toMatch(/typecheck +\d+ errors in \d+ packages; after \d+\.\d\d s/);
    expect(report).toMatch(/handlers +apps\/server\/src\/pets\/pets\.\w+\.ts:\d+:\d+ {2}.*kindId|categoryId/);
    expect(report).toMatch(/client uses +packages\/client\/test\/\w+\.test\.ts:\d+:\d+ {2}/);
    expect(report).toContain(`runs on as it was at ${dev.address()}`);
    expect(report).toMatch(/next +Mend the \d+ places above\./);
    expect(read(TYPES)).toContain("kindId");
    expect((await fetch(new URL("/healthz", dev.address()))).status).toBe(200);
  });

  test("a broken YAML: line and column, nothing is generated, and the old service goes on", async () => {
    const before = read(TYPES);
    save(CONTRACT, (text) => text.replace("operationId: getPet", 'operationId: "getPet'));
    const report = await dev.report();
    const line =
      read(CONTRACT)
        .split("\n")
        .findIndex((text) => text.includes('"getPet')) + 1;
    const [, reported, column] = /openapi\/openapi\.yaml:(\d+):(\d+) {2}\w+/.exec(report) ?? [];
    expect(Math.abs(Number(reported) - line), report).toBeLessThanOrEqual(1); // the parser notices at the end of the text
    expect(Number(column)).toBeGreaterThan(0);
    expect(report).toContain(`runs on as it was at ${dev.address()}`);
    expect(report).not.toContain("typecheck");
    expect(read(TYPES)).toBe(before);
    expect((await fetch(new URL("/healthz", dev.address()))).status).toBe(200);
  });

  test("a broken rule is named, with its place", async () => {
    save(CONTRACT, () => committed(CONTRACT).replace(/^ +maxLength: 255\n/m, ""));
    expect(await dev.report()).toMatch(/openapi\.yaml:\d+:\d+ {2}Bound each string.*\(petstore\/string-is-bounded\)/);
  });

  test("an addition: nothing to mend, the service restarts, and the tests are the next step", async () => {
    save(CONTRACT, () => committed(CONTRACT).replace("maxLength: 255", "maxLength: 300")); // of Idempotency-Key
    const report = await dev.report();
    expect(report).toMatch(/since the last commit: .*additive/);
    expect(report).toMatch(/no errors in \d+ packages.*restarted at http:.*next +Run the tests/s);
    const served = (await (await fetch(new URL("/openapi.json", dev.address()))).json()) as object;
    expect(JSON.stringify(served)).toContain('"maxLength":300');
  });

  test("a handler alone: no word of the contract, and the service answers with the new code", async () => {
    save(HANDLERS, (text) => text.replace("There is no animal with this id.", "Nobody has seen it."));
    const report = await dev.report();
    expect(report).toMatch(/^\s*\d\d:\d\d:\d\d {2}apps\/server\/src\/pets\/pets\.handlers\.ts$/m);
    expect(report).not.toMatch(/^ {2}(contract|types)/m);
    expect(report).toMatch(/restarted at http/);
    const key = read("data/quickstart.key").trim();
    const answer = await fetch(`${dev.address()}/pets/4711`, { headers: { Authorization: `Bearer ${key}` } });
    expect(await answer.json()).toMatchObject({ message: "Nobody has seen it." });
  });

  test("a file in a new folder is seen, and so is that it is gone", async () => {
    const folder = join(directory, "apps/server/src/store");
    mkdirSync(folder);
    writeFileSync(join(folder, "store.ts"), "export const price: number = 'much';\n");
    expect(await dev.report()).toMatch(/handlers +apps\/server\/src\/store\/store\.ts:1:14 {2}Type 'string'/);
    rmSync(folder, { recursive: true });
    expect(await dev.report()).toMatch(/no errors/);
  });

  test("Ctrl+C ends it and the service", async () => {
    expect(await dev.interrupt()).toBe(0);
    await expect(fetch(new URL("/healthz", dev.address()))).rejects.toThrow("fetch failed");
  });

  function read(file: string): string {
    return readFileSync(join(directory, file), "utf8");
  }

  function save(file: string, change: (text: string) => string): void {
    const text = change(read(file));
    expect(text).not.toBe(read(file));
    writeFileSync(join(directory, file), text);
  }
});

/** A file as it was when the clone was made. */
function committed(file: string): string {
  return readFileSync(join(import.meta.dirname, "../../..", file), "utf8");
}
