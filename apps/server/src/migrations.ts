import { auditApiKeys, createApiKeys, createRateLimits } from "@platform/api-keys/keys.migrations";
import { createIdempotencyKeys } from "@platform/storage/idempotency.migrations";
import type { Migrations } from "@platform/storage/migrations";
import { migrationsOf } from "@platform/storage/registration";
import { createPets, nameCreators } from "./resources/pets/pets.migrations.ts";
import { REGISTRATIONS } from "./registrations.ts";

/** Those that several parts of the service share. It is closed: new ones stand in the registration of their tables. */
const SHARED: Migrations = {
  "0001_create_tables": {
    up: async (db) => {
      await createPets(db);
      await createApiKeys(db);
      await createIdempotencyKeys(db);
    },
  },
  "0002_audit_api_keys": { up: auditApiKeys },
  "0003_create_rate_limits": { up: createRateLimits },
  "0004_name_creators": { up: nameCreators },
};

/** Every migration of this version, by its name, in order. Those that were released keep their names and their SQL. */
export const MIGRATIONS = migrationsOf(SHARED, REGISTRATIONS);
