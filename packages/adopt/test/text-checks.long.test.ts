import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "@platform/test-support/clone";
import { expect, onTestFinished, test } from "vitest";
import { acceptWords } from "../src/text-checks.ts";
import { repositoryAt } from "../src/workspace.ts";

test("every word of the contract is known, whatever parts its ids are divided into", { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "words-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "openapi"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  writeFileSync(join(folder, "package.json"), "{}");
  cpSync(join(root, "cspell.json"), join(folder, "cspell.json"));
  // cspell:disable-next-line
  writeFileSync(join(folder, "openapi/openapi.yaml"), "example: KDwjlXj1Rqt58dVvmzRguxJybmyQL8FgeWWAy\n");
  acceptWords(repositoryAt(folder));
  const cspell = join(root, "node_modules/cspell/bin.mjs");
  const { status, stdout } = spawnSync(process.execPath, [cspell, "--no-progress", "openapi/openapi.yaml"], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(stdout).toBe("");
  expect(status).toBe(0);
});
