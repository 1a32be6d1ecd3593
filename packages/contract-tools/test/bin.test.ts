import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const PACKAGE = resolve(import.meta.dirname, "..");
const { bin } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as { bin: Record<string, string> };

/** Gives the process an old version of Node. */
const OLD = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.9.0" } })`;

describe.each(Object.entries(bin))("the command %s", (_name, file) => {
  const run = (...options: string[]) => {
    const words = [...options, join(PACKAGE, file), "--help"];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
    return { status, stdout, stderr };
  };

  test("says which Node it needs instead of failing in one that is too old", () => {
    expect(run("--import", `data:text/javascript,${encodeURIComponent(OLD)}`)).toEqual({
      status: 1,
      stdout: "",
      stderr: "Node 20.9.0 is too old: install Node 22.18 or newer, and repeat the command.\n",
    });
  });

  test("runs in this Node", () => {
    expect(run()).toEqual({ status: 0, stdout: expect.stringContaining("Usage: "), stderr: "" });
  });
});
