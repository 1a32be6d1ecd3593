import { API_KEY_MIGRATIONS } from "@openapi-operations/api-keys/keys.table";
import { migrationsOf } from "@openapi-operations/storage/registration";
import { REGISTRATIONS } from "./registrations.ts";
import { withPets } from "./resources/pets/pets.migrations.ts";

/** All migrations of this version, by name and in order. The name and SQL of a released migration never change. */
export const MIGRATIONS = migrationsOf(withPets(API_KEY_MIGRATIONS), REGISTRATIONS);
