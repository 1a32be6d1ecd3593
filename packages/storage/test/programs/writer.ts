import { setTimeout } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { openDatabase } from "../../src/database.ts";
import { pathOfFileUrl } from "../../src/url.ts";
import { insertThing } from "../things.ts";

/**
 * A process that repeatedly opens a database, writes a little later and closes it, until it gets a message to stop. It
 * replies with the number of writes, and of writes that were missing at the path while it still had the file open.
 */
const url = process.argv[2]!;
const stop = new AbortController();
process.once("message", () => stop.abort());
const counts = { written: 0, lost: 0 };
while (!stop.signal.aborted) {
  const db = openDatabase(url);
  await db.connection().execute(() => setTimeout(Math.random() * 10));
  const { id } = await db.transaction().execute((trx) => insertThing(trx, { name: "cup", size: 1 }));
  const there = new Sqlite(pathOfFileUrl(url), { readonly: true });
  if (there.prepare("select 1 from things where id = ?").get(id) === undefined) counts.lost++;
  there.close();
  counts.written++;
  await db.destroy();
  await setTimeout(Math.random() * 10);
}
process.send!(counts);
