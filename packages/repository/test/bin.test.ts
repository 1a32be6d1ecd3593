import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isOfTemplate, repositoryFiles, root } from "@platform/test-support/clone";
import { describe, expect, test } from "vitest";

/** The commands of the packages, by their path from the root. The one that creates services starts a newer Node itself. */
const COMMANDS = repositoryFiles("packages/*/package.json")
  .filter((file) => !isOfTemplate(file))
  .flatMap((file) => {
    const { bin = {} } = JSON.parse(readFileSync(join(root, file), "utf8")) as { bin?: Record<string, string> };
    return Object.values(bin).map((path) => join(dirname(file), path));
  })
  .filter((path) => path.includes("/src/bin/"));

/** Gives the process an old version of Node. */
const OLD = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.9.0" } })`;

describe.each(COMMANDS)("%s", (file) => {
  const run = (...options: string[]) => {
    const words = [...options, join(root, file), "--help"];
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
