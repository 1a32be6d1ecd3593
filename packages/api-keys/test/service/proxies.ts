import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "@platform/test-support/clone";
import { freePort } from "@platform/test-support/machine";
import { nobody } from "@platform/test-support/postgres";
import { expect } from "vitest";

/** A program between the service and PostgreSQL, configured as the operations guide shows. */
export interface Proxy {
  /** Its address, without user and database. */
  host: string;
  [Symbol.asyncDispose]: () => Promise<void>;
}

/** Where Debian installs them. */
const ENVIRONMENT = { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin` };

/** Returns why a program cannot run here; undefined if it can. */
export function programUnavailable(name: "etcd" | "haproxy" | "pgbouncer"): string | undefined {
  try {
    execFileSync(name, [name === "haproxy" ? "-v" : "--version"], { env: ENVIRONMENT, stdio: "pipe" });
    return undefined;
  } catch {
    return `${name} is not installed`;
  }
}

/** Starts HAProxy before two servers. Resolves once it has found that the second one is a standby. */
export async function startHaproxy(servers: readonly [one: string, two: string]): Promise<Proxy> {
  const port = await freePort();
  const config = await recipe("failover", "haproxy", {
    "127.0.0.1:5432": `127.0.0.1:${port}`,
    "10.0.0.1:5432": servers[0],
    "10.0.0.2:5432": servers[1],
  });
  return startProxy("haproxy", port, { config }, ["-f", "config"], /Server \w+\/two is DOWN/);
}

/** Starts HAProxy before three nodes of Patroni. Resolves once it has found a standby. */
export async function startPatroniHaproxy(servers: readonly string[]): Promise<Proxy> {
  const port = await freePort();
  const addresses = servers.map((server, index) => [`10.0.0.${index + 1}:5432`, server]);
  const config = await recipe("patroni", "haproxy", {
    "127.0.0.1:5432": `127.0.0.1:${port}`,
    ...Object.fromEntries(addresses),
  });
  return startProxy("haproxy", port, { config }, ["-f", "config"], /Server \w+\/\w+ is DOWN/);
}

/** Starts PgBouncer before all databases of the server at a URL. */
export async function startPgbouncer(url: string): Promise<Proxy> {
  const { username, password, host } = new URL(url);
  const [port, [address, serverPort]] = [await freePort(), host.split(":")];
  const config = await recipe("pgbouncer", "ini", {
    "petstore = host=10.0.0.1 port=5432": `* = host=${address} port=${serverPort}`,
    "listen_port = 6432": `listen_port = ${port}\nunix_socket_dir =`,
    "/etc/pgbouncer/": "",
  });
  const files = { config, "userlist.txt": `"${username}" "${password}"\n` };
  return startProxy("pgbouncer", port, files, ["config"], /process up/);
}

/** Returns the text of a guide to operations. */
export function operationsGuide(page: "failover" | "patroni" | "pgbouncer"): Promise<string> {
  return readFile(join(root, `apps/server/docs/operations/${page}.md`), "utf8");
}

/** Returns the first example in a language from a guide to operations, with other values. */
export async function recipe(
  page: Parameters<typeof operationsGuide>[0],
  language: "haproxy" | "ini" | "yaml",
  changes: Record<string, string>,
): Promise<string> {
  let example = (await operationsGuide(page)).split(`\n\`\`\`${language}\n`)[1]!.split("```")[0]!;
  for (const [from, to] of Object.entries(changes)) {
    expect(example).toContain(from);
    example = example.replace(from, to);
  }
  return example;
}

/** Runs a program in a folder with its files, as the user `nobody` if this is root. Resolves once its log has the line. */
async function startProxy(
  name: string,
  port: number,
  files: Record<string, string>,
  args: string[],
  ready: RegExp,
): Promise<Proxy> {
  const user = process.getuid?.() === 0 ? nobody() : {};
  const folder = await mkdtemp(join(tmpdir(), `${name}-`));
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
  await chmod(folder, 0o755);
  const child = spawn(name, args, { ...user, cwd: folder, env: ENVIRONMENT, stdio: ["ignore", "ignore", "pipe"] });
  process.once("exit", () => child.kill("SIGKILL"));
  const exited = once(child, "exit");
  await untilLogged(child, ready);
  return {
    host: `127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}

function untilLogged(child: ChildProcess, line: RegExp): Promise<void> {
  return new Promise((done, failed) => {
    let log = "";
    createInterface(child.stderr!).on("line", (text) => {
      log += `${text}\n`;
      if (line.test(text)) done();
    });
    child.once("exit", () => failed(new Error(`${child.spawnfile} did not start:\n${log}`)));
  });
}
