import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { execute, follow, type PostgresServer, rowsOf, startPostgres } from "@platform/test-support/postgres";
import { operationsGuide } from "./proxies.ts";

/** Two PostgreSQL servers: a primary and its standby. They exchange their roles at each failover. */
export class Pair implements AsyncDisposable {
  #primary: PostgresServer;
  #standby: PostgresServer;
  /** The addresses of both, in an order that failovers leave unchanged. */
  readonly hosts: readonly [one: string, two: string];

  readonly #servers: AsyncDisposableStack;

  private constructor(primary: PostgresServer, standby: PostgresServer, servers: AsyncDisposableStack) {
    this.#primary = primary;
    this.#standby = standby;
    this.#servers = servers;
    this.hosts = [new URL(primary.url).host, new URL(standby.url).host];
  }

  /** Starts both servers. HAProxy may check them, as the operations guide shows. */
  static async start(): Promise<Pair> {
    await using servers = new AsyncDisposableStack();
    const [primary, standby] = [servers.use(await startPostgres()), servers.use(await startPostgres())];
    await admitHealthCheck(primary);
    await standby.stop();
    const pair = new Pair(primary, standby, servers.move());
    await pair.restoreStandby();
    return pair;
  }

  /** The URL of the primary. */
  get url(): string {
    return this.#primary.url;
  }

  /** Makes the standby synchronous. Commits before are on the standby as well once it resolves. */
  async synchronize(): Promise<void> {
    await this.#set(this.#primary, "synchronous_standby_names", "*");
    await this.#untilReplication("sync");
    await execute(this.url, "select pg_logical_emit_message(true, 'things', 'a commit that waits for the standby')");
  }

  /** Ends the replication to the standby. */
  async disconnect(): Promise<void> {
    await this.#set(this.#standby, "primary_conninfo", "");
    await this.#untilReplication(undefined);
  }

  /** Resumes the replication to the standby. */
  async reconnect(): Promise<void> {
    await this.#set(this.#standby, "primary_conninfo", this.url);
    await this.#untilReplication("sync");
  }

  /** Kills the primary by SIGKILL. */
  async killPrimary(): Promise<void> {
    await this.#primary.stop("SIGKILL");
  }

  /** Promotes the standby. Resolves once the standby is the primary. */
  async promote(): Promise<void> {
    await execute(this.#standby.url, "select pg_promote()");
    [this.#primary, this.#standby] = [this.#standby, this.#primary];
  }

  /** Makes the stopped server an asynchronous standby of the primary. */
  async restoreStandby(): Promise<void> {
    await follow(this.#standby, this.#primary);
    await this.#untilReplication("async");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#servers.disposeAsync();
  }

  async #set({ url }: PostgresServer, name: string, value: string): Promise<void> {
    await execute(url, `alter system set ${name} = '${value}'`);
    await execute(url, "select pg_reload_conf()");
  }

  async #untilReplication(state: "sync" | "async" | undefined): Promise<void> {
    const states = () => rowsOf<{ sync_state: string }>(this.url, "select sync_state from pg_stat_replication");
    while ((await states())[0]?.sync_state !== state) await setTimeout(20);
  }
}

async function admitHealthCheck({ url, data }: PostgresServer): Promise<void> {
  const guide = await operationsGuide("failover");
  const file = join(data, "pg_hba.conf");
  await writeFile(file, `${/^host +postgres +health_check .*$/m.exec(guide)![0]}\n${await readFile(file, "utf8")}`);
  await execute(url, "select pg_reload_conf()");
  await execute(url, /^create role health_check .*$/m.exec(guide)![0]);
}
