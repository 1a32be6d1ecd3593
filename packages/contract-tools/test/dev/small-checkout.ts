import { execFileSync } from "node:child_process";
import { globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cloneInstalled } from "@platform/test-support/clone";
import { onTestFinished } from "vitest";
import { SMALL_CONTRACT, SMALL_RULES } from "./small-contract.ts";
import { tsconfigFor, type Workspace, workspaceAt } from "./workspace.ts";

/** Clones the files that the commands need, with a small contract, its rules, and without the other packages. Deleted after the test. */
export function smallCheckout(): Workspace & { git: (...words: string[]) => string } {
  const needed = [".oxfmtrc.json", "packages/command-line", "packages/contract", "packages/contract-tools"];
  const clone = cloneInstalled(...needed, "packages/express-operations", "packages/openapi-document");
  onTestFinished(() => clone[Symbol.dispose]());
  const workspace = workspaceAt(clone.directory);
  workspace.write("openapi/openapi.yaml", SMALL_CONTRACT);
  workspace.write("openapi/redocly.yaml", SMALL_RULES);
  return {
    ...workspace,
    git: (...words) => execFileSync("git", ["-C", clone.directory, ...words], { encoding: "utf8" }),
  };
}

/**
 * Leaves three small packages to the compiler: the generated types of the contract, handlers of all its operations,
 * and a package that also generates from the contract, with two generators that record each run in `runs.txt`.
 */
export function addSmallPackages({ root, read, write, addPackage }: Workspace): void {
  for (const config of globSync("packages/*/tsconfig.json", { cwd: root })) rmSync(join(root, config));
  const { name: contract } = JSON.parse(read("packages/contract/package.json")) as { name: string };
  write("packages/contract/tsconfig.json", tsconfigFor("src/generated/schema.ts"));
  write("packages/contract/src/generate/main.ts", 'throw new Error("Its own files are written already.");');
  addPackage("apps/server", "@shop/server", [contract]);
  write("apps/server/src/handlers.ts", handlersOf("listThings"));
  addPackage("packages/derived", "derived", [contract]);
  write("packages/derived/src/a.ts", "export const a = 1;\n");
  write(
    "packages/derived/src/generate/main.ts",
    '// @ts-nocheck\nrequire("node:fs").appendFileSync("runs.txt", "once ");',
  );
  write("packages/derived/fetch-operations.config.json", "{}");
  write(
    "packages/derived/node_modules/fetch-operations/bin/fetch-operations.js",
    'require("node:fs").appendFileSync("runs.txt", process.argv[2] + " ");',
  );
}

/** Code that compiles only if the contract has exactly these operations. */
export function handlersOf(...ids: string[]): string {
  const handlers = ids.map((id) => `${id}: 1`).join(", ");
  return `import type { operations } from "../../../packages/contract/src/generated/schema.ts";
export const handlers = { ${handlers} } satisfies Record<keyof operations, 1>;
`;
}
