import type { Generated } from "kysely";

/** The row types of the tables, by table name. */
export interface PetsTables {
  pets: PetsTable;
}

/**
 * The table of animals, as the migrations leave it: with a value of the contract that no column holds, the repository does not
 * compile. `created_by` and `created_at` are for operators and are never in a response.
 */
export interface PetsTable {
  id: Generated<number>;
  name: string;
  category_id: number;
  status: "available" | "pending" | "sold";
  /** The id of an API key; null if the animal is older than this column or was not added by a request. */
  created_by: number | null;
  created_at: number | null;
}
