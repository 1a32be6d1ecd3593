import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CONTRACT_FILE, lintConfig } from "openapi-contract/paths";
import { describe, expect, onTestFinished, test } from "vitest";
import { Loop } from "../../src/dev/loop.ts";
import { packagesIn } from "../../src/dev/packages.ts";
import { Service } from "../../src/dev/service.ts";
import { operationOn, SMALL_CONTRACT } from "./small-contract.ts";
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

/** A program in place of the compiler, which reads the fault to report from `fault`, and waits while there is a file `wait`. */
const COMPILER = `const fs = require("node:fs");
fs.appendFileSync("runs", process.argv.filter((arg) => arg.startsWith("packages/")).join() + " ");
const check = () => fs.existsSync("wait") || (console.log(fs.readFileSync("fault", "utf8")), process.exit(2));
check();
setInterval(check, 10);`;

test("a save stops the running report, and the next report includes its files", async () => {
  const { root, read, write } = workspaceAt(temporaryFolder());
  const service = new Service(root, () => {});
  onTestFinished(() => service.stop());
  writeProgram(root);
  write("node_modules/typescript/bin/tsc", COMPILER);
  write("fault", "packages/a/index.ts(1,2): error TS3: Fault.");
  write("wait", "");
  const packages = ["a", "b"].map((name) => ({ name, folder: `packages/${name}`, uses: [] }));
  const printed: string[] = [];
  const { signal } = new AbortController();
  const loop = new Loop({ root, packages, service, print: (text) => printed.push(text), signal });
  const saved = (name: string, superseded: AbortSignal) =>
    loop.report({ files: new Set([`packages/${name}/index.ts`]), isRestart: false, at: performance.now(), superseded });

  const later = new AbortController();
  const report = saved("a", later.signal);
  await expect.poll(() => existsSync(join(root, "runs")) && read("runs")).toBe("packages/a ");
  later.abort();
  await report;
  expect(printed.at(-1)).toBe("  stopped    The next report includes these files.");
  rmSync(join(root, "wait"));
  await saved("b", signal);
  expect(read("runs")).toBe("packages/a packages/a,packages/b ");
  expect(printed.at(-1)).toBe("  next       Fix the 1 error above.");

  // After five seconds, a waiting save is reported, even if others follow.
  write("wait", "");
  const aborted = AbortSignal.abort();
  const files = new Set(["packages/a/index.ts"]);
  const old = loop.report({ files, isRestart: false, at: performance.now() - 5_000, superseded: aborted });
  rmSync(join(root, "wait"));
  await old;
  expect(printed.at(-1)).toBe("  next       Fix the 1 error above.");
});

test("the loop reports type errors, the state of the service and the next step after a save", async () => {
  const { root, read, write, pid } = workspace();
  const service = new Service(root, () => {});
  onTestFinished(() => service.stop());
  const printed: string[] = [];
  const { signal } = new AbortController();
  const loop = new Loop({ root, packages: packagesIn(root), service, print: (text) => printed.push(text), signal });
  const report = async (...files: string[]): Promise<string[]> => {
    printed.length = 0;
    await loop.report({
      files: new Set(files),
      isRestart: files.length === 0,
      at: performance.now(),
      superseded: new AbortController().signal,
    });
    const withoutSummary = printed.filter((text) => !text.startsWith("  summary "));
    return withoutSummary.map((text) => text.replace(/after \d+\.\d\d s/, "after 0 s").replace(/^ {2}(\w+) +/, "$1 "));
  };

  expect(await report("README.yaml")).toEqual([`service started ${RUNS}`, "next Nothing to fix."]);
  expect(await report("apps/server/src/index.ts")).toEqual([
    `service restarted ${RUNS}`,
    "typecheck no errors in 1 package; after 0 s",
    "next Nothing to fix.",
  ]);
  const first = pid();

  write("packages/used/src/index.ts", 'export const a: number = "a";\n');
  write(
    "apps/server/src/index.ts",
    "export const b: number = 'b';\nexport const c: { d: { e: number } } = { d: { e: 'f' } };\n",
  );
  expect(await report("packages/used/src/index.ts")).toEqual([
    `service restarted ${RUNS}`,
    [
      "typecheck 3 errors in 2 packages; after 0 s",
      "    service      apps/server/src/index.ts:1:14  Type 'string' is not assignable to type 'number'.",
      "    service      apps/server/src/index.ts:2:47  Type 'string' is not assignable to type 'number'.",
      "    other code   packages/used/src/index.ts:1:14  Type 'string' is not assignable to type 'number'.",
    ].join("\n"),
    "next Fix the 3 errors above.",
  ]);
  expect(pid()).not.toBe(first);
  expect(() => process.kill(first, 0)).toThrow("ESRCH");

  // An error in another package is reported until it is fixed.
  write("packages/used/src/index.ts", "export const a = 1;\n");
  write("apps/server/src/index.ts", "export const b = 1;\n");
  write("packages/apart/src/index.ts", 'export const a: number = "a";\n');
  expect((await report("packages/apart/src/index.ts"))[2]).toBe("next Fix the 4 errors above.");
  expect((await report("packages/used/src/index.ts"))[2]).toBe("next Fix the 1 error above.");
  write("packages/apart/src/index.ts", "export const a = 1;\n");
  const second = pid();
  const unchanged = [`service is unchanged ${RUNS}`, "next Nothing to fix."];
  expect((await report("packages/apart/src/index.ts")).slice(1)).toEqual(unchanged);
  expect(await report("openapi/openapi.yaml~", "other/openapi/a.yaml")).toEqual(unchanged);
  expect(pid()).toBe(second);
  expect(await report()).toEqual([`service restarted ${RUNS}`, "next Nothing to fix."]); // by the key r
  expect(pid()).not.toBe(second);

  // A stub compiles, and is not finished.
  const handlers = "apps/server/src/resources/things/things.handlers.ts";
  const stubs = (...ids: string[]) =>
    write(
      handlers,
      `const stub = () => 501;\nexport const a = {\n${ids.map((id) => `  ${id}: stub(),\n`).join("")}};\n`,
    );
  stubs("listThings");
  const stub = `next Write the handler listThings in ${handlers}: its stub responds with 501.`;
  expect((await report(handlers)).at(-1)).toBe(stub);
  stubs("listThings", '"GET /things"', "other");
  expect((await report(handlers)).at(-1)).toBe(`${stub} 2 more handlers like it.`);
  stubs();
  expect((await report(handlers)).at(-1)).toBe("next Nothing to fix.");

  // Code that does not start leaves the previous process serving, until both have ended.
  const program = read("apps/server/bin/service.js");
  write("apps/server/bin/service.js", "process.exit(1);");
  const third = pid();
  expect(await report("apps/server/bin/service.js")).toEqual([
    `service did not start, for the reason printed above; the previous code still runs ${RUNS}`,
    "typecheck no errors in 1 package; after 0 s",
    "next Fix the error that keeps the service from starting.",
  ]);
  process.kill(third, "SIGKILL");
  await expect.poll(() => service.address).toBeUndefined();
  expect(await report("README.yaml")).toEqual([
    "service did not start, for the reason printed above",
    "next Fix the error that keeps the service from starting.",
  ]);
  write("apps/server/bin/service.js", program);
  expect((await report("apps/server/bin/service.js"))[0]).toBe(`service started ${RUNS}`);
});

describe("the loop reports one problem and generates nothing for", () => {
  const RESPONSE = '"#/components/responses/Listed"';
  test.for<[fault: string, contract: string, problem: string]>([
    ["an empty file", "", "openapi.yaml:1:1  This is not an OpenAPI document. Begin it with `openapi: 3.1.1`."],
    [
      "an unclosed quote",
      SMALL_CONTRACT.replace("listThings", '"listThings'),
      'openapi.yaml:22:20  The text that begins here has no closing ". Add it.',
    ],
    [
      "a repeated operationId",
      SMALL_CONTRACT.replace("\ncomponents:", `${operationOn("/others", "listThings", "Things")}\ncomponents:`),
      'openapi.yaml:38:7  The operationId "listThings" is that of GET /things. Choose another. (operation-operationId-unique)',
    ],
    [
      "a broken reference",
      SMALL_CONTRACT.replace(RESPONSE, RESPONSE.replace("Listed", "List")),
      `openapi.yaml:29:11  Can't resolve $ref "#/components/responses/List". Did you mean ${RESPONSE}? (no-unresolved-refs)`,
    ],
    [
      "a misspelt type",
      SMALL_CONTRACT.replace("type: array", "type: arrays"),
      'openapi.yaml:62:13  `type` can be one of the following only: "object", "array", "string", "number", "integer", "boolean", "null". Did you mean `array`? (struct)',
    ],
  ])("%s", async ([, contract, problem], context) => {
    const isWarning =
      problem.endsWith("(struct)") && /^ +struct: warn$/m.test(readFileSync(lintConfig(CONTRACT_FILE)!, "utf8"));
    context.skip(isWarning, "openapi/redocly.yaml has the rule struct at level warn");
    const { root, write } = workspaceAt(temporaryFolder());
    write("openapi/openapi.yaml", contract);
    const printed: string[] = [];
    const { signal } = new AbortController();
    const service = new Service(root, () => {});
    const loop = new Loop({ root, packages: [], service, print: (text) => printed.push(text), signal });
    const files = new Set(["openapi/openapi.yaml"]);
    await loop.report({ files, isRestart: false, at: performance.now(), superseded: signal });
    const [first, ...others] = printed.filter((text) => !text.startsWith("  summary"));
    const lines = first!.split("\n").filter((line) => !/^ {4} *\d* \|/.test(line)); // without the lines around a syntax error
    expect(lines.map((line) => line.replace(/^ +\S*[/\\]/, ""))).toEqual(["  contract   1 problem", problem]);
    expect(others).toEqual([
      "  service    is not running",
      "  next       Fix the contract at these places. Nothing is generated until then.",
    ]);
  });
});
