import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { needsTool, scriptAbsence } from "@platform/test-support/machine";
import { temporaryFolder } from "@platform/test-support/temporary";
import { expect, onTestFinished, test } from "vitest";

test("in a terminal, the running step is shown and Ctrl+C stops it", { timeout: 60_000 }, async (context) => {
  needsTool(context, scriptAbsence());
  const main = join(import.meta.dirname, "../src/main.ts");
  const command = `'${process.execPath}' '${main}' museum --resource exhibit --vendor packed`;
  const { CI: _, ...environment } = process.env;
  const child = spawn("script", ["--quiet", "--command", command, "/dev/null"], {
    cwd: await temporaryFolder(),
    env: { ...environment, TERM: "xterm-256color" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  await expect.poll(() => output, { timeout: 30_000 }).toContain("Packing the platform");
  child.stdin.write("\u0003");
  await once(child, "close");
  expect(output).toMatch(/\^C$/); // nothing after it, such as the last screen
});
