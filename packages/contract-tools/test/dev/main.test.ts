import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DEV, type Dev, startDev } from "@platform/test-support/dev";
import { expect, onTestFinished, test } from "vitest";
import { addSmallPackages, handlersOf, smallCheckout } from "./small-checkout.ts";
import { operationOn, SMALL_CONTRACT, SMALL_RULES } from "./small-contract.ts";
import { writeProgram } from "./started.ts";
import { tsconfigFor } from "./workspace.ts";

const CONTRACT = "openapi/openapi.yaml";
const RUNS = "at http://127.0.0.1:1/v1";
const WROTE =
  "types      wrote openapi.json, schema.ts, operations-with-defaults.ts, names.ts, metadata.ts, code-samples.json; on disk after … s";
const TWO_CHANGES = `contract   2 changes since the last commit: 1 breaking, 1 additive; after … s
    breaking       GET /things: Response 200, field "[]": \`maximum\` changes from 9 to 10. Widens the response: clients may not understand the new values. (openapi/openapi.yaml:86)
    additive       GET /others: The operation is added. Clients need not call it. (openapi/openapi.yaml:37)`;

const BREAKS =
  "next       The change to GET /things breaks existing clients. Add to the contract instead of changing it, give an approval in openapi/comparison.yaml, or start a second contract. The most severe change since 1.0.0 is breaking, so info.version must be at least 2.0.0. It is 1.0.0.";

test("pnpm dev reports after each save until it is interrupted", async () => {
  const checkout = smallCheckout();
  const { root, read, write, git } = checkout;
  addSmallPackages(checkout);
  const watched = ["src", "bin", "test", "examples"].map((name) => `packages/derived/${name}`);
  for (const folder of [...watched, "packages/derived/other"]) mkdirSync(join(root, folder), { recursive: true });
  write("openapi/redocly.yaml", `${SMALL_RULES}  info-license-strict: warn\n`);
  write("openapi/released/1.0.0.yaml", SMALL_CONTRACT);
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
  contract   unchanged since the last commit; after … s
  ${WROTE.replace("code-samples.json", "code-samples.json, changelog.json")}
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
  contract   1 change since the last commit: 1 additive; after … s
    additive       GET /others: The operation is added. Clients need not call it. (openapi/openapi.yaml:37)
  ${WROTE}
  typecheck  1 error in 3 packages; after … s
    handlers     apps/server/src/handlers.ts:2:43  Property 'listOthers' is missing in type '{ listThings: 1; }' but required in type 'Record<keyof operations, 1>'.
  service    still runs the previous code ${RUNS}
  summary    1 error, 1 change, the service runs the previous code; after … s
  next       Fix the 1 error above. The most severe change since 1.0.0 is additive, so info.version must be at least 1.1.0. It is 1.0.0. To create a stub of the handler: npx -y pnpm@12.21.0 scaffold listOthers`);
  expect(await reportOn("apps/server/src/handlers.ts", handlersOf("listThings", "listOthers"))).toBe(`
…  apps/server/src/handlers.ts
  typecheck  no errors in 1 package; after … s
  service    restarted ${RUNS}
  summary    no errors, 1 change, the service is up to date; after … s
  next       The most severe change since 1.0.0 is additive, so info.version must be at least 1.1.0. It is 1.0.0.`);
  const versioned = added.replace("version: 1.0.0", "version: 1.1.0");
  expect(await reportOn(CONTRACT, versioned)).toMatch(
    /next {7}Run npx -y pnpm@12\.21\.0 contract check and the tests\. Commit the contract and the generated files together\.$/,
  );

  expect(await reportOn(CONTRACT, added.replace("listThings", '"listThings'))).toBe(`
…  openapi/openapi.yaml
  contract   1 problem
    openapi/openapi.yaml:22:20  The text that begins here has no closing ". Add it.
    21 |     get:
    22 |       operationId: "listThings
       |                    ^
    23 |       tags: [Things]
  service    still runs the previous contract ${RUNS}
  summary    1 problem, the contract is invalid, the service runs the previous contract; after … s
  next       Fix the contract at these places. Nothing is generated until then.`);

  const code = `${read("apps/server/src/handlers.ts")}\n`;
  expect(await reportOn("apps/server/src/handlers.ts", code)).toMatch(
    /summary {4}no errors, the contract is invalid, the service runs the previous contract;.*\n {2}next {7}Fix the contract\. Nothing is generated/,
  );

  // Rules of style, and rules at level `warn`, do not stop the generation.
  const unlike = versioned.replace("      summary: Also lists things\n", "").replace("    identifier: MIT\n", "");
  expect(await reportOn(CONTRACT, unlike)).toMatch(
    new RegExp(`
  style      1 place to correct, 1 new warning
    openapi/openapi.yaml:36:5  Operation object should contain \`summary\` field. \\(operation-summary\\)
    openapi/openapi.yaml:7:3  License object .* \\(info-license-strict\\)
  types      wrote .*
  typecheck  no errors in 3 packages; after … s
  service    restarted ${RUNS}
  summary    no errors, 3 changes, the service is up to date; after … s
  next       Correct the 1 style error, which contract check rejects.$`),
  );

  git("add", "--all"); // which commits nothing
  expect(await reportOn(CONTRACT, added.replace(/maximum: 9\n$/, "maximum: 10\n"))).toBe(`
…  openapi/openapi.yaml
  ${TWO_CHANGES}
  types      wrote openapi.json, schema.ts, operations-with-defaults.ts, metadata.ts; on disk after … s
  typecheck  no errors in 3 packages; after … s
  service    restarted ${RUNS}
  summary    no errors, 2 changes, the service is up to date; after … s
  ${BREAKS}`);
  expect(await reportOn("openapi/other.yml", "a: 1\n")).toBe(`
…  openapi/other.yml
  ${TWO_CHANGES}
  types      nothing to write; on disk after … s
  service    is unchanged ${RUNS}
  summary    no errors, 2 changes, the service is up to date; after … s
  ${BREAKS}`);
  expect(read("packages/derived/runs.txt")).toBe("once generate ".repeat(5));

  const types = "packages/contract/src/generated/schema.ts";
  const generated = read(types);
  const edited = await reportOn(types, `${generated}export const a: number = "a";\n`);
  expect(edited).toContain(`\n  generated  ${types}: edited by hand; generate overwrites it\n`);
  expect(edited).toMatch(
    new RegExp(`next {7}Fix the 1 error above\\. Run npx -y pnpm@12.21.0 generate to undo the edit of ${types}\\.`),
  );
  const restored = await reportOn(types, generated);
  expect(restored).not.toMatch(/generated {2}|undo the edit/);

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

  // Files of the contract outside its folder are watched, too. So are those of a file system without events.
  const [thing, things] = ["type: integer\ndescription: A thing.\nminimum: 0\nmaximum: 9\n", "shared/things/thing.yml"];
  write(things, thing);
  write(CONTRACT, SMALL_CONTRACT.replace(/( {4}Thing:\n)(?: {6}.*\n)+/, `$1      $ref: ../${things}\n`));
  const other = startDev(root, [...DEV, "--poll"]);
  onTestFinished(async () => void (await other.interrupt("SIGKILL")));
  expect(await other.report()).toContain("components/schemas/thing: The schema is added.");
  write(things, thing.replace("9", "8"));
  expect(await other.report()).toMatch(
    / {2}shared\/things\/thing\.yml\n {2}contract .*\n.*`maximum` changes from 9 to 8[^\n]*\(shared\/things\/thing\.yml:4\)/s,
  );

  // A report that runs at the interrupt ends with the loop, and without a failure.
  write(things, thing);
  while (!(await other.line()).endsWith(things));
  expect(await other.interrupt("SIGTERM")).toBe(0);
  await expect(other.report()).rejects.toThrow("pnpm dev has ended.");
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
