import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { createDatabases } from "../bench/database.ts";
import { installPeers } from "../bench/install-peers.ts";
import { buildNativePeers, type NativeName } from "../bench/native-peers.ts";
import { startContender } from "../bench/rounds.ts";
import { NATIVE_LABELS } from "../bench/same-techniques.ts";

const SERVER = join(import.meta.dirname, "..");

test("the benchmark measures each workload, and all stacks return the same responses", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(SERVER, "bench/main.ts"), "--quick"]);
  for (const work of ["list 20", "list 100", "get by id", "create", "refuse with 400", "refuse with 401"])
    expect(stdout).toContain(`\n${work}, `);
  expect(stdout).toContain("│ this service ");
  expect(stdout).toMatch(
    /\nThe medians of two copies of the service differ by up to \d+% by the clock and \d+% by CPU time\./,
  );
  for (const [name, label] of Object.entries(NATIVE_LABELS))
    expect(stdout).toMatch(new RegExp(`│ ${label} |\nWithout the peers? in .*${name}.*: .`));
});

test("a missing toolchain leaves out its peer, with the reason", async () => {
  const log = vi.spyOn(console, "log").mockReturnValue();
  const built = await buildNativePeers("/nowhere");
  expect(built).toEqual([]);
  expect(log.mock.calls.flat().join("\n")).toMatch(/Without the peers? in go.*: ./);
  log.mockRestore();
});

test("a peer in another language ends with its contender", async () => {
  await using databases = await createDatabases(1);
  for (const name of await buildNativePeers()) {
    const pid = await startAndDispose(name);
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
  }

  async function startAndDispose(name: NativeName): Promise<number> {
    using contender = await startContender(NATIVE_LABELS[name], { name }, databases);
    const pid = await contender.ask<number>("process id");
    expect(existsSync(`/proc/${pid}`)).toBe(true);
    return pid;
  }
});

/** `lint` and `typecheck` omit the other stacks, because `pnpm test` does not install their dependencies. */
test.each([
  ["compiles", "tsc", ["--project", "bench/peers"]],
  ["passes the linter", "oxlint", ["--type-aware", "bench/peers"]],
])("the code of the other stacks %s", async (_, program, words) => {
  await installPeers();
  const { status, stdout } = spawnSync(program, words, { cwd: SERVER, encoding: "utf8" });
  expect(status, stdout).toBe(0);
});
