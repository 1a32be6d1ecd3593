import type { Pet } from "@petstore/contract";
import type { Generated } from "kysely";

/** The row types of the tables, by table name. */
export interface PetsTables {
  pets: PetsTable;
}

/** The table of animals. `created_by` and `created_at` are for operators and are never in a response. */
export interface PetsTable {
  id: Generated<Pet["id"]>;
  name: Pet["name"];
  category_id: Pet["categoryId"];
  status: Pet["status"];
  /** The id of an API key; null if the animal is older than this column or was not added by a request. */
  created_by: number | null;
  created_at: number | null;
}
