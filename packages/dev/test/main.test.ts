import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { addSmallPackages, handlersOf, smallCheckout } from "./small-checkout.ts";
import { operationOn, SMALL_CONTRACT } from "./small-contract.ts";
import { type Dev, startDev } from "./start.ts";
import { writeProgram } from "./started.ts";
import { tsconfigFor } from "./workspace.ts";

const CONTRACT = "openapi/openapi.yaml";
const RUNS = "at http://127.0.0.1:1/v1";
const WROTE =
  "types      wrote openapi.json, schema.ts, operations-with-defaults.ts, names.ts, metadata.ts, code-samples.json; on disk after … s";
const TWO_CHANGES = `contract   2 changes since the last commit: 1 breaking, 1 additive
    breaking       GET /things: Response 200, field "[]": \`maximum\` changes from 9 to 10. Widens the response: clients may not understand the new values. (openapi/openapi.yaml:86)
    additive       GET /others: The operation is added. Clients need not call it. (openapi/openapi.yaml:37)`;

test("pnpm dev reports after each save until it is interrupted", async () => {
  const checkout = smallCheckout();
  const { root, read, write, git } = checkout;
  addSmallPackages(checkout);
  const watched = ["src", "bin", "test", "bench", "examples"].map((name) => `packages/derived/${name}`);
  for (const folder of [...watched, "packages/derived/other"]) mkdirSync(join(root, folder), { recursive: true });
  const { pid } = writeProgram(root);
  git("update-ref", "-d", "HEAD"); // as before the first commit
  let since = performance.now();
  const dev = startDev(root);
  onTestFinished(async () => void (await dev.interrupt("SIGKILL")));
  const reported = async (): Promise<string> => withoutTimes(await dev.report(), since);
  const reportOn = (file: string, text: string): Promise<string> => {
    since = performance.now();
    write(file, text);
    return reported();
  };

  expect(await reported()).toBe(`Watching 3 packages and the contract; Ctrl+C stops. First, a check of everything:
  ${WROTE}
  contract   unchanged since the last commit
  typecheck  no errors in 3 packages; after … s
  service    started ${RUNS}
  summary    no errors, no changes, the service is up to date; after … s
  next       Nothing to fix.`);

  git("add", "--all");
  git("-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "--quiet", "--message", "small");
  const added = SMALL_CONTRACT.replace(
    "\ncomponents:",
    `${operationOn("/others", "listOthers", "Things")}\ncomponents:`,
  );
  expect(await reportOn(CONTRACT, added)).toBe(`
…  openapi/openapi.yaml
  ${WROTE}
  contract   1 change since the last commit: 1 additive
    additive       GET /others: The operation is added. Clients need not call it. (openapi/openapi.yaml:37)
  typecheck  1 error in 3 packages; after … s
    handlers     apps/server/src/handlers.ts:2:43  Property 'listOthers' is missing in type '{ listThings: 1; }' but required in type 'Record<keyof operations, 1>'.
  service    still runs the previous code ${RUNS}
  summary    1 error, 1 change, the service runs the previous code; after … s
  next       Fix the 1 place above. To create a stub of the handler: npx -y pnpm@12.21.0 scaffold listOthers`);
  expect(await reportOn("apps/server/src/handlers.ts", handlersOf("listThings", "listOthers"))).toBe(`
…  apps/server/src/handlers.ts
  typecheck  no errors in 1 package; after … s
  service    restarted ${RUNS}
  summary    no errors, 1 change, the service is up to date; after … s
  next       Run npx -y pnpm@12.21.0 contract check and the tests. Commit the contract and the generated files together.`);

  expect(await reportOn(CONTRACT, added.replace("listThings", '"listThings'))).toBe(`
…  openapi/openapi.yaml
  contract   1 problem
    openapi/openapi.yaml:23:7  deficient indentation
  service    still runs the previous code ${RUNS}
  summary    1 problem, 1 change, the service is up to date; after … s
  next       Fix the contract at these places. Nothing is generated until then.`);

  git("add", "--all"); // which commits nothing
  expect(await reportOn(CONTRACT, added.replace(/maximum: 9\n$/, "maximum: 10\n"))).toBe(`
…  openapi/openapi.yaml
  types      wrote openapi.json, metadata.ts; on disk after … s
  ${TWO_CHANGES}
  typecheck  no errors in 3 packages; after … s
  service    restarted ${RUNS}
  summary    no errors, 2 changes, the service is up to date; after … s
  next       This breaks existing clients. Add to the contract instead of changing it, or start a new major version.`);
  expect(await reportOn("openapi/other.yml", "a: 1\n")).toBe(`
…  openapi/other.yml
  types      nothing to write; on disk after … s
  ${TWO_CHANGES}
  service    is unchanged ${RUNS}
  summary    no errors, 2 changes, the service is up to date; after … s
  next       This breaks existing clients. Add to the contract instead of changing it, or start a new major version.`);
  expect(read("packages/derived/runs.txt")).toBe("once generate once generate once generate ");

  const config = "packages/derived/tsconfig.json";
  expect(await reportOn(config, tsconfigFor("nowhere"))).toMatch(
    /^\n…  packages\/derived\/tsconfig.json\n {2}failed {5}error TS18003: No inputs .*$/,
  );
  write(config, tsconfigFor("src"));
  for (const file of ["a.ts", "packages/derived/other/a.ts", "packages/derived/src/generated/a.ts"]) write(file, "");
  const files = [...watched.map((folder) => `${folder}/below/a.ts`), "packages/derived/a.ts", "apps/server/a.ts"];
  for (const file of files) write(file, "");
  expect(await savesUntil(dev, files.length + 1)).toEqual(new Set([config, ...files]));

  const last = pid();
  expect(await dev.interrupt()).toBe(0);
  expect(() => process.kill(last, 0)).toThrow("ESRCH");

  // A step that runs at the interrupt ends with the loop and prints nothing.
  const other = startDev(root, "--poll");
  onTestFinished(async () => void (await other.interrupt("SIGKILL")));
  expect(await other.line()).toMatch(/^Watching 3 packages /);
  expect(await other.interrupt("SIGTERM")).toBe(0);
  await expect(other.line()).rejects.toThrow("pnpm dev has ended.");
});

/** Returns the report with … for times of day and durations. No duration may exceed the time since the save. */
function withoutTimes(report: string, since: number): string {
  const elapsed = (performance.now() - since) / 1_000;
  for (const [, seconds] of report.matchAll(/after (\d+\.\d\d) s/g))
    expect(Number(seconds)).toBeLessThan(elapsed + 0.01);
  return report.replace(/^\d\d:\d\d:\d\d /m, "… ").replaceAll(/after \d+\.\d\d s/g, "after … s");
}

/** Returns the files of the next reports until there are `count`. A busy machine may report them one by one. */
async function savesUntil(dev: Dev, count: number): Promise<Set<string>> {
  const files = new Set<string>();
  while (files.size < count) {
    const [, list] = /^\d\d:\d\d:\d\d {2}(.*)$/m.exec(await dev.report())!;
    for (const file of list!.split(", ")) files.add(file);
  }
  return files;
}
