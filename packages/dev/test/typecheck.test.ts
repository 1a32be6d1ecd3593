import { existsSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { needsPosix } from "@platform/test-support/machine";
import { describe, expect, test } from "vitest";
import { type Diagnostic, typecheck } from "../src/typecheck.ts";
import { temporaryFolder } from "./started.ts";
import { linkCompiler, workspaceAt } from "./workspace.ts";

const PACKAGES = ["packages/a", "packages/b"].map((folder) => ({ name: folder, folder, uses: [] }));

test("the compiler's diagnostics have their position and all their reasons", async () => {
  const { root, write, addPackage } = workspaceAt(temporaryFolder());
  linkCompiler(root);
  for (const { folder, name } of PACKAGES) {
    addPackage(folder, name, []);
    write(`${folder}/src/index.ts`, "export const a = 1;\n");
  }
  const diagnostics = (): Promise<Diagnostic[]> => typecheck(root, PACKAGES, new AbortController().signal);
  expect(await diagnostics()).toEqual([]);
  expect(existsSync(join(root, "packages/a/tsconfig.tsbuildinfo"))).toBe(true); // the state of unchanged files

  write(
    "packages/a/src/index.ts",
    "interface A { a: { b: number } }\nconst c = { a: { b: '1' } };\nexport const d: A = c;\n",
  );
  write("packages/b/src/index.ts", "export const a: 1 = 2;\n");
  utimesSync(join(root, "packages/a/src/index.ts"), 0, 0); // as if moved from elsewhere
  expect(await diagnostics()).toEqual([
    {
      file: "packages/a/src/index.ts",
      line: 3,
      column: 14,
      code: "TS2322",
      message: [
        "Type '{ a: { b: string; }; }' is not assignable to type 'A'.",
        "The types of 'a.b' are incompatible between these types.",
        "Type 'string' is not assignable to type 'number'.",
      ],
    },
    {
      file: "packages/b/src/index.ts",
      line: 1,
      column: 14,
      code: "TS2322",
      message: ["Type '2' is not assignable to type '1'."],
    },
  ]);

  rmSync(join(root, "packages/a/tsconfig.json"));
  await expect(diagnostics()).rejects.toThrow(/^error TS\d+: /);
});

describe("the compiler", () => {
  const FAULT = 'console.log("a.ts(1,2): error TS3: Fault.");';
  const diagnosticsOf = (compiler: string): Promise<Diagnostic[]> => {
    const { root, write } = workspaceAt(temporaryFolder());
    write("node_modules/typescript/bin/tsc", compiler);
    return typecheck(root, PACKAGES, new AbortController().signal);
  };

  test("runs with the same environment and without garbage collection", async () => {
    const program = `const { GOGC, GOMEMLIMIT, PATH } = process.env;
      console.log("a.ts(1,2): error TS3: " + [GOGC, GOMEMLIMIT, PATH]);
      process.exitCode = 2;`;
    const message = [`off,2GiB,${process.env["PATH"]}`];
    expect(await diagnosticsOf(program)).toEqual([{ file: "a.ts", line: 1, column: 2, code: "TS3", message }]);
  });

  test.for([
    ["fails without a diagnostic", 'console.error("No memory."); process.exitCode = 1;', "No memory."],
    ["is killed after its first diagnostics", `${FAULT} process.kill(process.pid, "SIGKILL");`, "Command failed"],
  ] as const)("%s: typecheck rejects", async ([name, program, message], context) => {
    if (name.startsWith("is killed")) needsPosix(context, "signals in the result of a process");
    await expect(diagnosticsOf(program)).rejects.toThrow(message);
  });
});
