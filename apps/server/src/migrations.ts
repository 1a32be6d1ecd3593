import { auditApiKeys, createApiKeys, createRateLimits } from "@platform/api-keys/keys.migrations";
import { createIdempotencyKeys } from "@platform/storage/idempotency.migrations";
import type { Migrations } from "@platform/storage/migrations";
import { createPets, nameCreators } from "./resources/pets/pets.migrations.ts";

/** Every migration of this version, by its name, in order. Those that were released keep their names and their SQL. */
export const MIGRATIONS: Migrations = {
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
