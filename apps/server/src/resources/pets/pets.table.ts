import type { Pet } from "@petstore/contract";
import type { Generated } from "kysely";

/** The tables of animals, by name. */
export interface PetsTables {
  pets: PetsTable;
}

/** The table of animals. Its creator and time are for operators, and never in a response. */
export interface PetsTable {
  id: Generated<Pet["id"]>;
  name: Pet["name"];
  category_id: Pet["categoryId"];
  status: Pet["status"];
  /** The id of an API key; null for an animal older than this column, or not added by a request. */
  created_by: number | null;
  created_at: number | null;
}
