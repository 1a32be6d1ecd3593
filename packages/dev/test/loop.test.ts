import { expect, onTestFinished, test } from "vitest";
import { Loop } from "../src/loop.ts";
import { packagesIn } from "../src/packages.ts";
import { Service } from "../src/service.ts";
import { temporaryFolder, writeProgram } from "./started.ts";
import { linkCompiler, workspaceAt } from "./workspace.ts";

const RUNS = "at http://127.0.0.1:1/v1";

/** A workspace with a service, a package that the service uses, and a package that it does not use. */
function workspace() {
  const at = workspaceAt(temporaryFolder());
  const { root, write, addPackage } = at;
  linkCompiler(root);
  addPackage("apps/server", "@petstore/server", ["used"]);
  addPackage("packages/used", "used", []);
  addPackage("packages/apart", "apart", []);
  for (const folder of ["apps/server", "packages/used", "packages/apart"])
    write(`${folder}/src/index.ts`, "export const a = 1;\n");
  return { ...at, ...writeProgram(root) };
}

test("the loop reports type errors, the state of the service and the next step after a save", async () => {
  const { root, write, pid } = workspace();
  const service = new Service(root, () => {});
  onTestFinished(() => service.stop());
  const printed: string[] = [];
  const { signal } = new AbortController();
  const loop = new Loop({ root, packages: packagesIn(root), service, print: (text) => printed.push(text), signal });
  const report = async (...files: string[]): Promise<string[]> => {
    printed.length = 0;
    await loop.report({ files: new Set(files), at: performance.now() });
    return printed.map((text) => text.replace(/after \d+\.\d\d s/, "after 0 s").replace(/^ {2}(\w+) +/, "$1 "));
  };

  expect(await report("README.yaml")).toEqual([`service started ${RUNS}`, "next Nothing to fix."]);
  expect(await report("apps/server/src/index.ts")).toEqual([
    "typecheck no errors in 1 package; after 0 s",
    `service restarted ${RUNS}`,
    "next Nothing to fix.",
  ]);
  const first = pid();

  write("packages/used/src/index.ts", 'export const a: number = "a";\n');
  write(
    "apps/server/src/index.ts",
    "export const b: number = 'b';\nexport const c: { d: { e: number } } = { d: { e: 'f' } };\n",
  );
  expect(await report("packages/used/src/index.ts")).toEqual([
    [
      "typecheck 3 errors in 2 packages; after 0 s",
      "    handlers     apps/server/src/index.ts:1:14  Type 'string' is not assignable to type 'number'.",
      "    handlers     apps/server/src/index.ts:2:47  Type 'string' is not assignable to type 'number'.",
      "    other code   packages/used/src/index.ts:1:14  Type 'string' is not assignable to type 'number'.",
    ].join("\n"),
    `service still runs the previous code ${RUNS}`,
    "next Fix the 3 places above.",
  ]);

  // An error in another package is reported until it is fixed, and does not stop the service.
  write("packages/used/src/index.ts", "export const a = 1;\n");
  write("apps/server/src/index.ts", "export const b = 1;\n");
  write("packages/apart/src/index.ts", 'export const a: number = "a";\n');
  expect((await report("packages/apart/src/index.ts"))[2]).toBe("next Fix the 4 places above.");
  expect((await report("packages/used/src/index.ts")).slice(1)).toEqual([
    `service restarted ${RUNS}`,
    "next Fix the 1 place above.",
  ]);
  expect(pid()).not.toBe(first);
  expect(() => process.kill(first, 0)).toThrow("ESRCH");

  write("packages/apart/src/index.ts", "export const a = 1;\n");
  const second = pid();
  expect((await report("packages/apart/src/index.ts")).slice(1)).toEqual([
    `service is unchanged ${RUNS}`,
    "next Nothing to fix.",
  ]);
  expect(pid()).toBe(second);
  expect(await report("openapi/openapi.yaml~", "other/openapi/a.yaml")).toEqual([
    `service is unchanged ${RUNS}`,
    "next Nothing to fix.",
  ]);

  write("apps/server/bin/service.js", "process.exit(1);");
  expect((await report("apps/server/bin/service.js")).slice(1)).toEqual([
    "service did not start, for the reason printed above",
    "next Fix the error that keeps the service from starting.",
  ]);
  write("apps/server/src/index.ts", "export const b: number = 'b';\n");
  expect((await report("apps/server/src/index.ts")).slice(1)).toEqual([
    "service is not running",
    "next Fix the 1 place above.",
  ]);
});
