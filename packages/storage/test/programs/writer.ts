import { setTimeout } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { openDatabase } from "../../src/database.ts";
import { pathOfFileUrl } from "../../src/url.ts";
import { insertThing } from "../things.ts";

/**
 * A process that opens a database, writes a little later, and closes it, again and again until it is told to stop. It
 * answers how often, and how much of what it wrote was not at the path while it still had it open.
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
