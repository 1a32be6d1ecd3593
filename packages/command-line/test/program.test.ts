import { spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { platform } from "node:os";
import { describe, expect, test } from "vitest";

const INDEX = new URL("../src/index.ts", import.meta.url).href;

/** Runs a program whose action is the given code. */
function run(action: string, { stdout = "pipe" }: { stdout?: "pipe" | number } = {}) {
  const code = `import { createProgram, runProgram, wholeNumber } from ${JSON.stringify(INDEX)};
    const folder = ${JSON.stringify(import.meta.dirname)};
    await runProgram(createProgram("it", { description: "Does it.", folder }).action(async () => { ${action} }));`;
  const { status, ...printed } = spawnSync(process.execPath, ["--input-type=module-typescript", "--eval", code], {
    encoding: "utf8",
    stdio: ["ignore", stdout, "pipe"],
  });
  return { status, stdout: printed.stdout, stderr: printed.stderr };
}

describe("runProgram", () => {
  test("exits with 0 after success", () => {
    expect(run("console.log('done');")).toEqual({ status: 0, stdout: "done\n", stderr: "" });
  });

  test("prints the message of a failure, and exits with 1", () => {
    expect(run("throw new Error('The disk is full.');")).toEqual({
      status: 1,
      stdout: "",
      stderr: "The disk is full.\n",
    });
  });

  test("prints the stack of a mistake in the code", () => {
    const { status, stderr } = run("undefined.length;");
    expect(status).toBe(1);
    expect(stderr).toMatch(/^TypeError: .*\n {4}at /);
  });

  test.skipIf(platform() !== "linux")("fails once, and says so, if the output is lost", () => {
    const full = openSync("/dev/full", "w");
    const { status, stderr } = run("console.log('lost'); console.log('too');", { stdout: full });
    closeSync(full);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Standard output cannot be written; its content is lost \(ENOSPC: .*\)\.\n$/);
  });
});
