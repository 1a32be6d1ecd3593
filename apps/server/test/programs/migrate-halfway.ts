import { openDatabase } from "@platform/storage/database";
import { migrate } from "@platform/storage/migrations";
import { sql } from "kysely";
import type { Migration } from "kysely/migration";
import { MIGRATIONS } from "../../src/migrations.ts";

/** A process that migrates a database, and stops in the middle of one more migration until it is killed. */
const halfway: Migration = {
  up: async (db) => {
    await sql`create table halfway (id integer)`.execute(db);
    process.send!("halfway");
    await new Promise(() => {});
  },
};

setInterval(() => {}, 1_000); // a promise alone keeps no process alive
await migrate(openDatabase(process.argv[2]!), { ...MIGRATIONS, "9999_halfway": halfway });
