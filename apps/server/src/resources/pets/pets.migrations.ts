import type { API_KEY_MIGRATIONS } from "@openapi-operations/api-keys/keys.table";
import { columnTypes } from "@openapi-operations/storage/columns";
import type { Migrations } from "@openapi-operations/storage/migrations";
import { type Kysely, sql } from "kysely";

/** Adds the migrations that were released under the names of shared ones, before resources had migrations of their own. */
export function withPets(shared: typeof API_KEY_MIGRATIONS): Migrations {
  return {
    ...shared,
    "0001_create_tables": {
      servedBy: "every version",
      up: async (db) => {
        await createPets(db);
        await shared["0001_create_tables"].up(db);
      },
    },
    "0004_name_creators": { servedBy: "every version", up: addCreatorColumns },
  };
}

/** Creates the table of animals. */
async function createPets(db: Kysely<unknown>): Promise<void> {
  const { id, integer, strict } = columnTypes(db);
  await sql`
    create table pets (
      id ${id},
      name text not null,
      category_id ${integer} not null check (category_id between -9007199254740991 and 9007199254740991),
      status text not null check (status in ('available', 'pending', 'sold'))
    ) ${strict}`.execute(db);
  await sql`create index pets_status_id on pets (status, id)`.execute(db);
}

/** Adds columns for the API key that added an animal and the time of creation. Both are null for existing animals. */
async function addCreatorColumns(db: Kysely<unknown>): Promise<void> {
  const { integer } = columnTypes(db);
  await sql`alter table pets add column created_by ${integer}`.execute(db);
  await sql`alter table pets add column created_at ${integer}`.execute(db);
}
