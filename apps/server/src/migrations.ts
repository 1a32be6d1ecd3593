import { auditApiKeys, createApiKeys, createIdempotencyKeys, createRateLimits } from "@platform/api-keys/keys.table";
import type { Migrations } from "@platform/storage/migrations";
import { migrationsOf } from "@platform/storage/registration";
import { createPets, addCreatorColumns } from "./resources/pets/pets.migrations.ts";
import { REGISTRATIONS } from "./registrations.ts";

/** Migrations that no registration contains. Add none: a new migration belongs to the registration of its tables. */
const SHARED: Migrations = {
  "0001_create_tables": {
    servedBy: "every version",
    up: async (db) => {
      await createPets(db);
      await createApiKeys(db);
      await createIdempotencyKeys(db);
    },
  },
  "0002_audit_api_keys": { servedBy: "every version", up: auditApiKeys },
  "0003_create_rate_limits": { servedBy: "every version", up: createRateLimits },
  "0004_name_creators": { servedBy: "every version", up: addCreatorColumns },
};

/** All migrations of this version, by name and in order. The name and SQL of a released migration never change. */
export const MIGRATIONS = migrationsOf(SHARED, REGISTRATIONS);
