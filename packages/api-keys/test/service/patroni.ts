import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, closeSync, globSync, openSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { root } from "@platform/test-support/clone";
import { memoryFolder } from "@platform/test-support/machine";
import { rowsOf } from "@platform/test-support/postgres";
import { expect } from "vitest";
import { Network, user } from "./network.ts";
import { programUnavailable, recipe } from "./proxies.ts";

const PACKAGES = join(root, "node_modules/.cache/tools/patroni");
const INSTALL = `python3 -m pip install --target ${PACKAGES} 'patroni[etcd3]==4.1.0' 'psycopg[binary]==3.3.9'`;
/** Debian's PostgreSQL, which has `pg_basebackup` and `pg_rewind`. */
const BINARIES = globSync("/usr/lib/postgresql/*/bin").toSorted().at(-1);
const NAMES = ["one", "two", "three"] as const;

/** Returns why this machine cannot run Patroni; undefined if it can. */
export function patroniUnavailable(): string | undefined {
  if (BINARIES === undefined) return "PostgreSQL of Debian is not installed";
  try {
    execFileSync("python3", ["-m", "patroni", "--version"], {
      env: { ...process.env, PYTHONPATH: PACKAGES },
      stdio: "pipe",
    });
  } catch {
    return `Patroni is not installed: ${INSTALL}`;
  }
  return programUnavailable("etcd");
}

/** Three nodes with etcd, Patroni and PostgreSQL, configured as the operations guide shows. */
export class Cluster implements AsyncDisposable {
  readonly network = new Network(NAMES.length);
  readonly #folder: string;
  readonly #packages: string;

  private constructor(folder: string, packages: string) {
    this.#folder = folder;
    this.#packages = packages;
  }

  /** Starts the nodes. Resolves once one is the primary and both others follow. */
  static async start(): Promise<Cluster> {
    const folder = await mkdtemp(join(await memoryFolder(), "patroni-"));
    chmodSync(folder, 0o755);
    const packages = join(folder, "packages");
    await cp(PACKAGES, packages, { recursive: true }); // only root may be able to read its checkout
    const cluster = new Cluster(folder, packages);
    try {
      for (const node of NAMES.keys()) await cluster.#configure(node);
      for (const node of NAMES.keys()) cluster.run(node);
      await cluster.untilComplete();
    } catch (error) {
      const logs = await Promise.all(NAMES.map((name) => readFile(join(folder, name, "log"), "utf8")));
      await cluster[Symbol.asyncDispose]();
      throw new Error(`The cluster did not start:\n${logs.join("\n---\n")}`, { cause: error });
    }
    return cluster;
  }

  /** The addresses of PostgreSQL. */
  get hosts(): string[] {
    return this.network.addresses.map((address) => `${address}:5432`);
  }

  /** The URL of a database on a node or behind a proxy. */
  url(host: string, database = "postgres"): string {
    return `postgres://postgres:hunter2@${host}/${database}`;
  }

  /** Starts etcd and Patroni on a node. */
  run(node: number): void {
    const [name, address] = [NAMES[node]!, this.network.addresses[node]!];
    const folder = join(this.#folder, name);
    const log = openSync(join(folder, "log"), "a");
    const members = NAMES.map((each, index) => `${each}=http://${this.network.addresses[index]}:2380`);
    const etcd = {
      name,
      "data-dir": join(folder, "etcd"),
      "listen-peer-urls": `http://${address}:2380`,
      "initial-advertise-peer-urls": `http://${address}:2380`,
      "listen-client-urls": `http://${address}:2379`,
      "advertise-client-urls": `http://${address}:2379`,
      "initial-cluster": members.join(","),
      "pre-vote": "true",
    };
    const options = Object.entries(etcd).map(([option, value]) => `--${option}=${value}`);
    this.network.spawn(node, {}, ["etcd", ...options], log);
    const env = { PYTHONPATH: this.#packages, PYTHONDONTWRITEBYTECODE: "1", HOME: folder };
    this.network.spawn(node, env, ["python3", "-m", "patroni", join(folder, "patroni.yml")], log);
    closeSync(log);
  }

  /** Resolves once all nodes run and one is the synchronous standby. Returns the number of the primary. */
  async untilComplete(): Promise<number> {
    let leader = -1;
    const roles = async (): Promise<string[]> => {
      const { members = [] } = await this.#ask(0).catch(() => ({ members: [] as Member[] }));
      leader = NAMES.findIndex((name) => members.some((each) => each.name === name && each.role === "leader"));
      return members
        .filter(({ state }) => /^(running|streaming)$/.test(state))
        .map(({ role }) => role)
        .toSorted();
    };
    // oxlint-disable-next-line vitest/no-standalone-expect -- part of a test
    await expect.poll(roles, { timeout: 90_000, interval: 200 }).toEqual(["leader", "replica", "sync_standby"]);
    return leader;
  }

  /** Resolves at the time when a node, other than `former`, is the primary. */
  async promotion(former?: number): Promise<number> {
    const isPrimary = async (host: string): Promise<boolean> =>
      (await rowsOf<{ primary: boolean }>(this.url(host), "select not pg_is_in_recovery() as primary"))[0]!.primary;
    let promoted: number | undefined;
    const watch = async (host: string): Promise<void> => {
      while (promoted === undefined) {
        if (await isPrimary(host).catch(() => false)) promoted ??= performance.now();
        else await setTimeout(20);
      }
    };
    await Promise.race(this.hosts.filter((_, node) => node !== former).map(watch));
    return promoted!;
  }

  /** Begins to make a standby the primary, as planned. Patroni responds with 503 while it has just lost its connection to etcd. */
  async switchOver(leader: number): Promise<void> {
    const url = `http://${this.network.addresses[leader]}:8008/switchover`;
    const body = JSON.stringify({ leader: NAMES[leader] });
    // oxlint-disable-next-line vitest/no-standalone-expect -- part of a test
    await expect.poll(async () => (await fetch(url, { method: "POST", body })).status).not.toBe(503);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.network[Symbol.dispose]();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #ask(node: number): Promise<{ members?: Member[] }> {
    const url = `http://${this.network.addresses[node]}:8008/cluster`;
    return (await (await fetch(url, { signal: AbortSignal.timeout(1_000) })).json()) as { members?: Member[] };
  }

  async #configure(node: number): Promise<void> {
    const [name, address] = [NAMES[node]!, this.network.addresses[node]!];
    const folder = join(this.#folder, name);
    await mkdir(folder);
    chownSync(folder, user.uid, user.gid);
    const subnet = address.replace(/\d+$/, "");
    const file = join(folder, "patroni.yml");
    const text = await recipe("patroni", "yaml", {
      "name: one": `name: ${name}`,
      "listen: 10.0.0.1:8008": `listen: ${address}:8008`,
      "connect_address: 10.0.0.1:8008": `connect_address: ${address}:8008`,
      "listen: 10.0.0.1:5432": `listen: ${address}:5432`,
      "connect_address: 10.0.0.1:5432": `connect_address: ${address}:5432`,
      "ttl: 30": "ttl: 20",
      "loop_wait: 10": "loop_wait: 1",
      "retry_timeout: 10": "retry_timeout: 3",
      "/var/lib/postgresql/15/petstore": join(folder, "data"),
      "/usr/lib/postgresql/15/bin": `${BINARIES}\n  parameters: { unix_socket_directories: ${folder} }`,
    });
    await writeFile(file, text.replaceAll("10.0.0.", subnet));
  }
}

interface Member {
  name: string;
  role: string;
  state: string;
}
