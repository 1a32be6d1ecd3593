import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { needsTool, scriptAbsence } from "@platform/test-support/machine";
import { expect, onTestFinished, test } from "vitest";
import { addSmallPackages, smallCheckout } from "./small-checkout.ts";
import { writeProgram } from "./started.ts";

const GREEN = "\u001B[32m";

/** Runs `dev` and then `stty` in a terminal. */
function terminal(directory: string, env: NodeJS.ProcessEnv) {
  const command = `'${process.execPath}' '${join(directory, "packages/contract-tools/src/dev/main.ts")}'; echo "ended with $?"; stty -a`;
  const { CI: _, FORCE_COLOR: __, NO_COLOR: ___, ...rest } = process.env;
  const child = spawn("script", ["--quiet", "--command", command, "/dev/null"], {
    cwd: directory,
    env: { ...rest, TERM: "xterm-256color", PORT: "0", ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  return {
    output: () => output,
    shows: (pattern: RegExp | string) => expect.poll(() => output, { timeout: 60_000 }).toMatch(pattern),
    press: (key: string) => child.stdin.write(key),
    ended: async () => {
      await once(child, "close");
      return output;
    },
  };
}

test("in a terminal, dev has colours, restarts the service on r, hides requests on l and quits on q or Ctrl+C", async (context) => {
  needsTool(context, scriptAbsence());
  const checkout = smallCheckout();
  addSmallPackages(checkout);
  writeProgram(checkout.root);
  checkout.git("update-ref", "-d", "HEAD"); // so that there are no changes since a commit
  const first = terminal(checkout.root, {});
  await first.shows(/r restarts the service, l hides its requests, q quits\./);
  await first.shows(/Nothing to fix\./);
  expect(first.output()).toContain(`${GREEN}started`);
  first.press("xr");
  await first.shows(/ {2}restart\r\n.*restarted.*Nothing to fix\./s);
  first.press("l");
  await first.shows("Requests are hidden; l shows them.");
  first.press("q");
  const ended = await first.ended();
  expect(ended).toMatch(/ended with 0\r\n/);
  expect(ended).toMatch(/ echo /); // not `-echo`, as while the keys are read

  const second = terminal(checkout.root, { NO_COLOR: "1" });
  await second.shows(/Nothing to fix\./);
  second.press("\u0003");
  const output = await second.ended();
  expect(output).toMatch(/ended with 0\r\n/);
  expect(output).not.toContain("\u001B[");
});
