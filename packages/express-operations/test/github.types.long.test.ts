import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operationsOf } from "../src/document/document.ts";
import { githubDocument, githubTypes as types } from "./fixtures/github.ts";
import { handlerProgram } from "./handler-program.ts";

/** The compiler's budget for a program of all handlers. It limits counts, because times depend on the machine. */
const BUDGET = { types: 90_000, instantiations: 300_000 };

const packageFile = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const { resolve } = createRequire(import.meta.url);
const document = githubDocument();
const count = operationsOf(document).length;
let directory: string;
beforeAll(() => void (directory = mkdtempSync(join(tmpdir(), "handler-types-"))));
afterAll(() => rmSync(directory, { recursive: true }));

/** Checks a program with this package's compiler and settings, in one thread, because then every run has the same counts. */
function check(program: string): string {
  writeFileSync(join(directory, "program.mts"), program);
  const compilerOptions = {
    types: [packageFile("node_modules/@types/node")],
    allowImportingTsExtensions: true,
    rewriteRelativeImportExtensions: false,
    noUnusedLocals: false,
  };
  const settings = { extends: packageFile("tsconfig.json"), compilerOptions, include: ["program.mts"] };
  writeFileSync(join(directory, "tsconfig.json"), JSON.stringify(settings));
  const tsc = join(resolve("typescript/package.json"), "../bin/tsc");
  const args = [tsc, "-p", directory, "--pretty", "false", "--singleThreaded", "--extendedDiagnostics"];
  return spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: 2 ** 28 }).stdout;
}

describe("the types over GitHub's document", () => {
  test(`${count} handlers that return every declared response compile within the budget`, () => {
    const output = check(handlerProgram(document, types));
    expect(output.match(/error TS.*/g)).toBeNull();
    const figure = (name: string) => Number(new RegExp(`^${name}: +([\\d.]+)`, "m").exec(output)![1]);
    const [time, memory] = [figure("Check time"), Math.round(figure("Memory used") / 1024)];
    const cost = { types: figure("Types"), instantiations: figure("Instantiations") };
    console.log(`${count} handlers checked in ${time} s, with ${memory} MB:`, cost);
    expect(cost.types).toBeLessThan(BUDGET.types);
    expect(cost.instantiations).toBeLessThan(BUDGET.instantiations);
  });

  test("the error for a wrong handler names its operation and status", () => {
    const wrong = '(input) => { if (input.requestPath === "") throw new Error(); return { status: 200, body: 1 }; }';
    const output = check(handlerProgram(document, types, { "repos/get": wrong }));
    expect(output.match(/error TS/g)).toHaveLength(1);
    expect(output).toContain('not assignable to type \'ResponseOf<"repos/get", 200,');
  });
});
