import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "@platform/test-support/clone";
import { pnpmPath } from "@platform/test-support/pnpm";
import { expect, test } from "vitest";
import { manifestAt, PROGRAMS, run, SUBCOMMANDS } from "./programs.ts";

test.concurrent.for([...PROGRAMS, ...SUBCOMMANDS])("%s --help", async (line) => {
  const { code, stdout, stderr } = await run(line, "--help");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^Usage: [\w:<>[\]. -]+\n\n[A-Za-z][^]*\n {2}-h, --help +\w/);
});

test.concurrent.for(PROGRAMS)("%s --version", async (line) => {
  const { version } = manifestAt(`${line.split("/").slice(0, 2).join("/")}/package.json`);
  expect(await run(line, "--version")).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
});

test.concurrent.for([...PROGRAMS, ...SUBCOMMANDS])("%s --nonsense", async (line) => {
  const { code, stdout, stderr } = await run(line, "--nonsense");
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^error: unknown option '--nonsense'.*\nAdd --help to see the usage\.\n$/i);
});

test.each(["packages/storage", "packages/service/src"])(
  "a command of the root in %s names the root",
  async (folder) => {
    const cwd = join(root, folder);
    for (const command of ["generate", "create-service ../museum", "petstore keys list"]) {
      const stderr = await new Promise<string>((done) =>
        execFile(pnpmPath(), command.split(" "), { cwd }, (_error, _stdout, printed) => done(printed)),
      );
      expect(stderr).toContain(`Start it there: cd ${relative(cwd, root)}\n`);
    }
  },
);

test("the tools of the contract find it from the folder of a package", async () => {
  const cwd = join(root, "packages/service/src");
  const printed = await new Promise<string>((done, failed) =>
    execFile(pnpmPath(), ["contract", "lint"], { cwd }, (error, stdout) => (error ? failed(error) : done(stdout))),
  );
  expect(printed).toContain("ok      lint: ");
});

const REFUSED = [
  ["packages/contract-tools/src/contract.ts checks", "error: unknown command 'checks'\n(Did you mean check?)"],
  [
    "packages/contract-tools/src/contract.ts diff --format xml",
    "error: option '--format <format>' argument 'xml' is invalid.",
  ],
  ["packages/fetch-operations/bin/fetch-operations.js make", "error: unknown command 'make'"],
  ["packages/laboratory/mutation/main.ts --lines 0", "argument '0' is invalid. Give a whole number of at least 1."],
  ["packages/contract-tools/bin/start-service.js serve", "error: too many arguments"],
  ["packages/contract-tools/src/mock/main.ts --port http", "error: option '--port <port>' argument 'http' is invalid."],
  ["apps/server/bin/service.js keys rotate first", "is invalid for argument 'id'. Give the number"],
  ["apps/server/bin/service.js copy --from", "error: option '--from <url>' argument missing"],
  ["apps/server/bin/service.js copy --from file:a --to b", "error: option '--to <url>' argument is invalid."],
  ["apps/server/bin/service.js copy --from file:a --to file:a", "error: options '--from' and '--to' name the same"],
  ["apps/server/bin/service.js keys revoke", "error: missing required argument 'id'"],
  ["apps/server/bin/service.js backup copy.db --keep 1", "error: options '--every' and '--keep' are for dated"],
  ["apps/server/bin/service.js restore", "error: name either a backup, or a time with option '--at'."],
] as const;

// A repository may have removed the program of a row.
test.each(REFUSED.filter(([line]) => existsSync(join(root, line.split(" ")[0]!))))("%s", async (line, problem) => {
  const { code, stdout, stderr } = await run(line);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(problem);
  expect(stderr).toMatch(/\nAdd --help to see the usage\.\n$/);
});
