import type { NewPet, Pet, PetStatus } from "@petstore/contract";
import { type Columns, rowOf, selection } from "@openapi-operations/storage/columns";
import { prepared, preparedFirst } from "@openapi-operations/storage/prepared";
import type { Kysely } from "kysely";
import type { PetsTable, PetsTables } from "./pets.table.ts";

type Database = Kysely<PetsTables>;

/** The column of each field. A field of the contract that no column holds needs a migration. */
const PET = {
  id: "id",
  name: "name",
  categoryId: "category_id",
  status: "status",
} as const satisfies Columns<Pet, PetsTable>;

const NEW_PET = { ...PET, createdBy: "created_by", createdAt: "created_at" } as const;

/** A filter of animals. A missing field does not filter. */
export interface ListPets {
  /** The maximum number of animals. */
  limit: number;
  status?: PetStatus | undefined;
  /** Returns only animals with greater ids. */
  after?: Pet["id"] | undefined;
}

/** An animal to add. */
export interface NewPetRow extends Omit<NewPet, "status">, Pick<Pet, "status"> {
  /** The id of an API key. Default: null. */
  createdBy?: number;
  /** In milliseconds since 1970. Default: null. */
  createdAt?: number;
}

/** Returns animals in the order of their ids. */
export const listPets = prepared((db: Database, { limit, status, after }: ListPets) => {
  let query = db.selectFrom("pets").select(selection(PET)).orderBy("id").limit(limit);
  if (status !== undefined) query = query.where("status", "=", status);
  if (after !== undefined) query = query.where("id", ">", after);
  return query;
});

/** Returns the animal with this id, or undefined. */
export const findPet = preparedFirst((db: Database, { id }: Pick<Pet, "id">) =>
  db.selectFrom("pets").select(selection(PET)).where("id", "=", id),
);

/** Adds an animal and returns it with its id. An id is never reused. */
export async function insertPet(db: Database, pet: NewPetRow): Promise<Pet> {
  const [added] = await insertion(db, pet);
  return added!;
}

const insertion = prepared((db: Database, pet: NewPetRow) =>
  db.insertInto("pets").values(rowOf(NEW_PET, pet)).returning(selection(PET)),
);
