import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Loop } from "../src/loop.ts";
import { packagesIn } from "../src/packages.ts";
import { Service } from "../src/service.ts";
import { typeFaults } from "../src/typecheck.ts";
import { temporaryFolder, writeProgram } from "./started.ts";

const TYPESCRIPT = resolve(import.meta.dirname, "../../../node_modules/typescript");
const RUNS = "at http://127.0.0.1:1/v1";

/** A workspace of a service, of a package that it uses and of one that it does not. */
function workspace() {
  const root = temporaryFolder();
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  mkdirSync(join(root, "node_modules"));
  symlinkSync(TYPESCRIPT, join(root, "node_modules/typescript"));
  const compilerOptions = {
    noEmit: true,
    incremental: true,
    types: [],
    module: "nodenext",
    allowImportingTsExtensions: true,
  };
  const add = (folder: string, name: string, uses: string[]) => {
    const dependencies = Object.fromEntries(uses.map((used) => [used, "workspace:*"]));
    write(`${folder}/package.json`, JSON.stringify({ name, dependencies }));
    write(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions, include: ["src"] }));
    write(`${folder}/src/index.ts`, "export const a = 1;\n");
  };
  add("apps/server", "@petstore/server", ["used"]);
  add("packages/used", "used", []);
  add("packages/apart", "apart", []);
  const { pid } = writeProgram(root);
  return { root, write, pid };
}

test("what follows from saved code: what does not compile, whether the service is another one, what to do next", async () => {
  const { root, write, pid } = workspace();
  const service = new Service(root);
  onTestFinished(() => service.stop());
  const printed: string[] = [];
  const { signal } = new AbortController();
  const loop = new Loop({ root, packages: packagesIn(root), service, print: (text) => printed.push(text), signal });
  const report = async (...files: string[]): Promise<string[]> => {
    printed.length = 0;
    await loop.report({ files: new Set(files), at: performance.now() });
    return printed.map((text) => text.replace(/after \d+\.\d\d s/, "after 0 s").replace(/^ {2}(\w+) +/, "$1 "));
  };

  expect(await report("apps/server/src/index.ts")).toEqual([
    "typecheck no errors in 1 package; after 0 s",
    `service started ${RUNS}`,
    "next Nothing to mend.",
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
    `service runs on as it was ${RUNS}`,
    "next Mend the 3 places above.",
  ]);

  // A fault elsewhere stays until it is mended, and keeps nothing from being served.
  write("packages/used/src/index.ts", "export const a = 1;\n");
  write("apps/server/src/index.ts", "export const b = 1;\n");
  write("packages/apart/src/index.ts", 'export const a: number = "a";\n');
  expect((await report("packages/apart/src/index.ts"))[2]).toBe("next Mend the 4 places above.");
  expect((await report("packages/used/src/index.ts")).slice(1)).toEqual([
    `service restarted ${RUNS}`,
    "next Mend the 1 place above.",
  ]);
  expect(pid()).not.toBe(first);
  expect(() => process.kill(first, 0)).toThrow("ESRCH");

  write("packages/apart/src/index.ts", "export const a = 1;\n");
  const second = pid();
  expect((await report("packages/apart/src/index.ts")).slice(1)).toEqual([
    `service runs on ${RUNS}`,
    "next Nothing to mend.",
  ]);
  expect(pid()).toBe(second);
  expect(await report("README.yaml")).toEqual([`service runs on ${RUNS}`, "next Nothing to mend."]);

  write("apps/server/bin/petstore.js", "process.exit(1);");
  expect((await report("apps/server/bin/petstore.js")).slice(1)).toEqual([
    "service ended at its start, for the reason it printed above",
    "next Mend what keeps the service from starting.",
  ]);
  writeProgram(root);
  expect((await report("README.yaml"))[0]).toBe(`service started ${RUNS}`);
});

test("the compiler's faults have their place and each of their reasons", async () => {
  const { root, write } = workspace();
  const packages = packagesIn(root).filter(({ name }) => name === "apart");
  const faults = () => typeFaults(root, packages, new AbortController().signal);
  expect(await faults()).toEqual([]);
  write(
    "packages/apart/src/index.ts",
    "interface A { a: { b: number } }\nconst c = { a: { b: '1' } };\nexport const d: A = c;\n",
  );
  expect(await faults()).toEqual([
    {
      file: "packages/apart/src/index.ts",
      line: 3,
      column: 14,
      code: "TS2322",
      message: [
        "Type '{ a: { b: string; }; }' is not assignable to type 'A'.",
        "The types of 'a.b' are incompatible between these types.",
        "Type 'string' is not assignable to type 'number'.",
      ],
    },
  ]);
  rmSync(join(root, "packages/apart/tsconfig.json"));
  await expect(faults()).rejects.toThrow(/^error TS\d+: /);
});
