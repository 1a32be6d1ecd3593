import { chown, copyFile, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import pg from "pg";
import type { PostgresServer } from "./postgres.ts";

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
