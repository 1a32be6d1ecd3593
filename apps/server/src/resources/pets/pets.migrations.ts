import { columnTypes } from "@platform/storage/columns";
import { type Kysely, sql } from "kysely";

/** Creates the table of animals. */
export async function createPets(db: Kysely<unknown>): Promise<void> {
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
export async function addCreatorColumns(db: Kysely<unknown>): Promise<void> {
  const { integer } = columnTypes(db);
  await sql`alter table pets add column created_by ${integer}`.execute(db);
  await sql`alter table pets add column created_at ${integer}`.execute(db);
}
