import { scopes, version } from "@petstore/contract";
import { readConfig } from "./config.ts";
import { MIGRATIONS } from "./migrations.ts";
import { TABLES } from "./registrations.ts";
import { SCHEMES } from "./security.ts";

/** The facts about the service that its processes and its commands share. */
export const DEFINITION = {
  version,
  scopes,
  schemes: SCHEMES,
  readConfig,
  schema: { migrations: MIGRATIONS, tables: TABLES },
};
