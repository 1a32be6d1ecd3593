import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "@platform/test-support/clone";

/** The fields of a package.json that name programs. */
export interface Manifest {
  version: string;
  scripts?: Record<string, string>;
  bin?: Record<string, string>;
}

/** Programs, with arguments that make their usage valid but for the last one. A repository may have removed some of them. */
export const PROGRAMS = [
  "packages/contract-tools/bin/start-service.js",
  "packages/repository/src/test.ts test",
  "packages/repository/src/test.ts test:long",
  "packages/repository/src/prose.ts",
  "packages/repository/src/record.ts",
  "packages/contract-tools/src/dev/main.ts",
  "packages/contract-tools/src/dev/scaffold.ts",
  "packages/create-openapi-operations/src/main.ts",
  "packages/contract-tools/src/build/main.ts",
  "packages/contract-tools/src/start.ts",
  "packages/contract-tools/src/contract.ts",
  "packages/openapi-contract/src/bin/openapi-contract.ts",
  "packages/repository/src/release-pack.ts",
  "packages/express-operations/src/documents/generate-types.ts",
  "packages/fetch-operations/bin/fetch-operations.js",
  "packages/laboratory/bench.ts",
  "packages/laboratory/census.ts",
  "packages/laboratory/tools/main.ts",
  "packages/laboratory/express-operations/main.ts",
  "packages/laboratory/fetch-operations/main.ts",
  "packages/laboratory/fetch-operations/census/main.ts",
  "packages/laboratory/mutation/main.ts",
  "packages/laboratory/peers/census/main.ts",
  "packages/laboratory/peers/streams/main.ts",
  "packages/laboratory/repository/budgets.ts",
  "packages/laboratory/service/main.ts",
  "packages/laboratory/services/census.ts",
  "packages/contract-tools/src/mock/main.ts",
  "apps/storefront/start.ts",
  "apps/site/site.ts",
  "apps/server/bin/service.js",
].filter((line) => existsSync(join(root, line.split(" ")[0]!)));

/** The usage of commands below a program. They have no version of their own. */
export const SUBCOMMANDS = [
  "packages/contract-tools/src/contract.ts check",
  "packages/contract-tools/src/contract.ts next-version",
  "packages/fetch-operations/bin/fetch-operations.js generate",
  "apps/server/bin/service.js migrate",
  "apps/server/bin/service.js keys create --name shop",
  "apps/site/site.ts build",
];

/** Reads the package.json at a path from the root. */
export function manifestAt(file: string): Manifest {
  return JSON.parse(readFileSync(join(root, file), "utf8")) as Manifest;
}

/** Runs a program. Its standard input is closed, so that no question waits for an answer. */
export function run(line: string, ...more: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((done) => {
    const child = execFile(process.execPath, [...line.split(" "), ...more], { cwd: root }, (_error, stdout, stderr) =>
      done({ code: child.exitCode, stdout, stderr }),
    );
    child.stdin!.end();
  });
}
