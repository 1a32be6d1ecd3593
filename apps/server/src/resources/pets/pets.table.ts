import type { Pet } from "@petstore/contract";
import type { Generated } from "kysely";

/** The tables of animals, by their names. */
export interface PetsTables {
  pets: PetsTable;
}

/** The animals. Who added them and when is for operators, and never in a response. */
export interface PetsTable {
  id: Generated<Pet["id"]>;
  name: Pet["name"];
  category_id: Pet["categoryId"];
  status: Pet["status"];
  /** The id of an API key; null for an animal that was there before the column, or that no request has added. */
  created_by: number | null;
  created_at: number | null;
}
