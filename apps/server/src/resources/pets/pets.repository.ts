import type { Pet, PetStatus } from "@petstore/contract";
import { isPostgres } from "@platform/storage/database";
import { prepared, preparedForMany } from "@platform/storage/prepared";
import type { Kysely } from "kysely";
import type { PetsTables } from "./pets.table.ts";

const PET = ["id", "name", "category_id as categoryId", "status"] as const;

/** Animals of one statement at most; there are as many as are a power of two, so that eight statements are compiled. */
const MOST_AT_ONCE = 128;

/** Which animals to list: at most `limit`, of one `status` or all, with an id greater than `after` or from the first. */
export interface ListPets {
  limit: number;
  status?: PetStatus | undefined;
  after?: Pet["id"] | undefined;
}

/** An animal to add. Without its creator, or the time in milliseconds since 1970, the table has null for them. */
export interface NewPet extends Omit<Pet, "id"> {
  /** The id of an API key. */
  createdBy?: number;
  createdAt?: number;
}

/** Animals in the order of their ids. */
export async function listPets(db: Kysely<PetsTables>, { limit, status, after }: ListPets): Promise<Pet[]> {
  const first = after === undefined ? Number.MIN_SAFE_INTEGER : after + 1;
  const page = status === undefined ? pageOfAll(db, { limit, first }) : pageOfStatus(db, { limit, first, status });
  return (await page).rows;
}

/** Adds an animal and gives it with its id; an id is never given twice. */
export async function insertPet(db: Kysely<PetsTables>, pet: NewPet): Promise<Pet> {
  const [added] = await insertPets(db, [pet]);
  return added!;
}

/** Adds animals and gives them with their ids, in the order given. */
export async function insertPets(db: Kysely<PetsTables>, pets: NewPet[]): Promise<Pet[]> {
  const added: Pet[] = [];
  while (added.length < pets.length) {
    const left = pets.length - added.length;
    const some = pets.slice(added.length, added.length + Math.min(2 ** Math.floor(Math.log2(left)), MOST_AT_ONCE));
    const { rows, insertId } = await insertion(db, some);
    const first = Number(insertId) - some.length + 1; // SQLite says the id of the last, and for less than to return all
    for (const [at, { name, categoryId, status }] of some.entries()) {
      added.push({ id: rows[at]?.id ?? first + at, name, categoryId, status });
    }
  }
  return added;
}

/** The animal with this id, if there is one. */
export async function findPet(db: Kysely<PetsTables>, id: Pet["id"]): Promise<Pet | undefined> {
  const { rows } = await byId(db, { id });
  return rows[0];
}

const pageOfAll = prepared((db: Kysely<PetsTables>, { limit, first }: { limit: number; first: Pet["id"] }) =>
  db.selectFrom("pets").select(PET).where("id", ">=", first).orderBy("id").limit(limit),
);

const pageOfStatus = prepared(
  (db: Kysely<PetsTables>, { limit, first, status }: { limit: number; first: Pet["id"]; status: PetStatus }) => {
    const ofStatus = db.selectFrom("pets").select(PET).where("status", "=", status);
    return ofStatus.where("id", ">=", first).orderBy("id").limit(limit);
  },
);

const insertion = preparedForMany((db: Kysely<PetsTables>, pets: NewPet[]) =>
  db
    .insertInto("pets")
    .values(pets.map(toRow))
    .$if(isPostgres(db), (query) => query.returning("id")),
);

function toRow({ name, categoryId, status, createdBy, createdAt }: NewPet) {
  return { name, category_id: categoryId, status, created_by: createdBy, created_at: createdAt };
}

const byId = prepared((db: Kysely<PetsTables>, { id }: Pick<Pet, "id">) =>
  db.selectFrom("pets").select(PET).where("id", "=", id),
);
