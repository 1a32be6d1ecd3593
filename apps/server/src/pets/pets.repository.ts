import type { Pet, PetStatus } from "@petstore/contract";
import type { Database } from "../database.ts";

const PET = ["id", "name", "category_id as categoryId", "status"] as const;

/** Which animals to list: at most `limit`, of one `status` or all, with an id greater than `after` or from the first. */
export interface ListPets {
  limit: number;
  status?: PetStatus | undefined;
  after?: Pet["id"] | undefined;
}

/** Animals in the order of their ids. */
export async function listPets(db: Database, { limit, status, after }: ListPets): Promise<Pet[]> {
  let query = db.selectFrom("pets").select(PET).orderBy("id").limit(limit);
  if (status !== undefined) query = query.where("status", "=", status);
  if (after !== undefined) query = query.where("id", ">", after);
  return query.execute();
}

/** Adds an animal and gives it as stored, with its id; an id is never given twice. */
export async function insertPet(db: Database, { name, categoryId, status }: Omit<Pet, "id">): Promise<Pet> {
  return db
    .insertInto("pets")
    .values({ name, category_id: categoryId, status })
    .returning(PET)
    .executeTakeFirstOrThrow();
}

/** The animal with this id, if there is one. */
export async function findPet(db: Database, id: Pet["id"]): Promise<Pet | undefined> {
  return db.selectFrom("pets").select(PET).where("id", "=", id).executeTakeFirst();
}
