import { type ChildProcess, execSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { cloneEnvironment, cloneRepository } from "@platform/test-support/clone";
import { freePort } from "@platform/test-support/machine";
import { expect, onTestFinished, test } from "vitest";

const LIMIT_MS = 5_000;

/** The most that the absence of the network may add where the machine itself needs longer than that, as under load. */
const ADDED_MS = 2_000;

test(`\`start\` without a network serves within ${LIMIT_MS / 1_000} s of one install`, async () => {
  const clone = cloneRepository();
  onTestFinished(() => clone[Symbol.dispose]());
  const cwd = clone.directory;
  const installed = execSync("npx -y pnpm@12.21.0 install --frozen-lockfile", { cwd, env: cloneEnvironment() });
  expect(String(installed)).toContain("Done in");
  await millisecondsUntilServing(cwd, {}); // generates once, which the cache of turbo keeps
  const usual = await millisecondsUntilServing(cwd, {});

  let attempts = 0;
  const registry = createServer((socket) => {
    attempts++;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void registry.close());
  await once(registry, "listening");
  const { port } = registry.address() as { port: number };
  const proxy = `http://127.0.0.1:${port}`;
  // npx takes its copy of the registry's answer for current for some minutes; this makes it ask.
  const fresh = { npm_config_prefer_online: "true", npm_config_prefer_offline: "false" };
  const without = { https_proxy: proxy, http_proxy: proxy, ...fresh };
  expect(await millisecondsUntilServing(cwd, without)).toBeLessThan(Math.max(LIMIT_MS, usual + ADDED_MS));
  expect(attempts).toBeGreaterThan(0);
});

/** Runs the command of the README until the service listens, and ends it. */
async function millisecondsUntilServing(cwd: string, env: NodeJS.ProcessEnv): Promise<number> {
  const began = performance.now();
  const child = spawn("npx -y pnpm@12.21.0 start", {
    cwd,
    env: { ...cloneEnvironment(), PORT: String(await freePort()), ...env },
    shell: true,
    detached: process.platform !== "win32",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  try {
    for await (const line of createInterface(child.stdout))
      if (line.includes(" is listening on ")) return performance.now() - began;
    throw new Error("`start` ended before it served.");
  } finally {
    end(child);
    await ended;
  }
}

/** Ends the shell and all that it started. */
function end(child: ChildProcess): void {
  if (process.platform === "win32") execSync(`taskkill /pid ${child.pid} /t /f`);
  else if (child.exitCode === null) process.kill(-child.pid!, "SIGTERM");
}
