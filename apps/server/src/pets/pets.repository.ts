import type { Pet, PetStatus } from "@petstore/contract";
import { type Database, isPostgres } from "../database/database.ts";
import { prepared } from "../database/prepared.ts";

const PET = ["id", "name", "category_id as categoryId", "status"] as const;

/** Which animals to list: at most `limit`, of one `status` or all, with an id greater than `after` or from the first. */
export interface ListPets {
  limit: number;
  status?: PetStatus | undefined;
  after?: Pet["id"] | undefined;
}

/** Animals in the order of their ids. */
export async function listPets(db: Database, { limit, status, after }: ListPets): Promise<Pet[]> {
  const first = after === undefined ? Number.MIN_SAFE_INTEGER : after + 1;
  const page = status === undefined ? pageOfAll(db, { limit, first }) : pageOfStatus(db, { limit, first, status });
  return (await page).rows;
}

/** Adds an animal and gives it with its id; an id is never given twice. */
export async function insertPet(db: Database, { name, categoryId, status }: Omit<Pet, "id">): Promise<Pet> {
  const { rows, insertId } = await insertion(db, { name, categoryId, status });
  return { id: rows[0]?.id ?? Number(insertId), name, categoryId, status };
}

/** The animal with this id, if there is one. */
export async function findPet(db: Database, id: Pet["id"]): Promise<Pet | undefined> {
  const { rows } = await byId(db, { id });
  return rows[0];
}

const pageOfAll = prepared((db, { limit, first }: { limit: number; first: Pet["id"] }) =>
  db.selectFrom("pets").select(PET).where("id", ">=", first).orderBy("id").limit(limit),
);

const pageOfStatus = prepared(
  (db, { limit, first, status }: { limit: number; first: Pet["id"]; status: PetStatus }) => {
    const ofStatus = db.selectFrom("pets").select(PET).where("status", "=", status);
    return ofStatus.where("id", ">=", first).orderBy("id").limit(limit);
  },
);

/** SQLite says the id anyway, and for less than to return it. */
const insertion = prepared((db, { name, categoryId, status }: Omit<Pet, "id">) =>
  db
    .insertInto("pets")
    .values({ name, category_id: categoryId, status })
    .$if(isPostgres(db), (query) => query.returning("id")),
);

const byId = prepared((db, { id }: Pick<Pet, "id">) => db.selectFrom("pets").select(PET).where("id", "=", id));
