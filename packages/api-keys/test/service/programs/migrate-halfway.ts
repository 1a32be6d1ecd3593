import { openDatabase } from "@openapi-operations/storage/database";
import { type Migration, migrate } from "@openapi-operations/storage/migrations";
import { sql } from "kysely";
import { MIGRATIONS } from "../../tables.ts";

/** A process that migrates a database, and stops in the middle of one more migration until it is killed. */
const halfway: Migration = {
  servedBy: "every version",
  up: async (db) => {
    await sql`create table halfway (id integer)`.execute(db);
    process.send!("halfway");
    await new Promise(() => {});
  },
};

setInterval(() => {}, 1_000); // a promise alone keeps no process alive
await migrate(openDatabase(process.argv[2]!), { ...MIGRATIONS, "9999_halfway": halfway });
