import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cloneEnvironment, cloneRepository, root } from "@platform/test-support/clone";
import { pnpmPath } from "@platform/test-support/pnpm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const START = "npx -y pnpm@12.21.0 start";
const TEST = "npx -y pnpm@12.21.0 test";
const LONG_TEST = `${TEST}:long`;
const ALONE = "npx -y pnpm@12.21.0 --recursive --workspace-concurrency 1 run test:alone";
const INSTALL = "npx -y pnpm@12.21.0 install --frozen-lockfile";
/** Fails below a floor. */
const MUTATE = /^npx -y pnpm@12\.21\.0 mutate .*--floor [1-9]\d$/;
/** A response with a status of 400 or more fails the block. */
const STRICT_CURL = 'curl() { command curl --silent --show-error --fail-with-body "$@"; }\n';
/** Runs pnpm without npx, because the test of `start` covers npx. */
const QUICK_NPX = `npx() { test "$1 $2" = "-y pnpm@12.21.0" && PATH="${dirname(pnpmPath())}:$PATH" pnpm "\${@:3}"; }\n`;

/** Every command block of the README, in order. */
const readme = readFileSync(join(root, "README.md"), "utf8");
const blocks = Array.from(readme.matchAll(/^```sh\n(.*?)^```/gms), ([, text = ""]) => text.trim());

describe("every command of the README works in a new clone", () => {
  let clone: ReturnType<typeof cloneRepository>;
  let server: ChildProcess | undefined;
  let origin = "";
  let printed = ""; // by the server

  beforeAll(() => {
    clone = cloneRepository();
  });
  afterAll(() => {
    server?.kill();
    clone[Symbol.dispose]();
  });

  test("the README has both commands, and .ci/run runs install, test, the long tests, those that run alone, and a sample of mutants", () => {
    expect(blocks).toContain(START);
    expect(blocks).toContain(TEST);
    const commands = readFileSync(join(root, ".ci/run"), "utf8")
      .split("\n")
      .filter((line) => line.startsWith("npx "));
    expect(commands).toEqual([INSTALL, TEST, LONG_TEST, ALONE, expect.stringMatching(MUTATE)]);
  });

  test.each(blocks.filter((block) => block !== TEST))("%s", async (block) => {
    const { status, output } = block === START ? await start() : run(block);
    expect(status, output).toBe(0);
  });

  test("SIGTERM to `start` also ends the service gracefully", async () => {
    const closed = once(server!, "close"); // when the service, too, has let go of the output
    server?.kill("SIGTERM");
    await closed;
    expect(printed).toMatch(/"msg":"stopped"\}\n$/);
    await expect(fetch(origin)).rejects.toThrow("fetch failed");
  });

  test("the commands leave no change in git status", () => {
    expect(clone.status()).toBe("");
  });

  /** Resolves when the server prints its address, or when it ends without one. */
  async function start(): Promise<{ status: number | null; output: string }> {
    const { promise, resolve } = Promise.withResolvers<{ status: number | null; output: string }>();
    server = spawn("bash", ["-c", START], {
      cwd: clone.directory,
      env: { ...cloneEnvironment(), PORT: "0" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [server.stdout!, server.stderr!]) {
      stream.on("data", (chunk: Buffer) => {
        printed += chunk.toString();
        origin = /listening on (http:\/\/[\w.:]+)/.exec(printed)?.[1] ?? "";
        if (origin !== "") resolve({ status: 0, output: printed });
      });
    }
    server.on("close", (status) => resolve({ status: status ?? 1, output: printed }));
    return promise;
  }

  function run(block: string): { status: number | null; output: string } {
    const script = STRICT_CURL + QUICK_NPX + block.replaceAll("http://127.0.0.1:3000", origin);
    const { status, stdout, stderr } = spawnSync("bash", ["-euo", "pipefail", "-c", script], {
      cwd: clone.directory,
      env: { ...cloneEnvironment(), PORT: "0" },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"], // bash reads start-up files when its standard input is a socket, as Node's pipes are
    });
    return { status, output: stdout + stderr };
  }
});
