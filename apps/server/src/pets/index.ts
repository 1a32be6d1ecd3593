import type { Registration } from "../database/registration.ts";
import type { PetsTables } from "./pets.table.ts";

/** The animals. */
export const pets: Registration<PetsTables> = {
  tables: { pets: { key: ["id"] } },
};
