import type { Pet } from "@petstore/contract";
import type { Generated } from "kysely";

/** The animals. */
export interface PetsTable {
  id: Generated<Pet["id"]>;
  name: Pet["name"];
  category_id: Pet["categoryId"];
  status: Pet["status"];
}
