import { document } from "@petstore/contract/document";
import { starterOf } from "@openapi-operations/api-keys/testing";
import { DEFINITION } from "../src/definition.ts";
import { prepare, start } from "../src/server.ts";

export type { TestService } from "@openapi-operations/api-keys/test-service";

/** Starts the real service on a free port, over a new database unless the settings name another. */
export const startService = starterOf({ ...DEFINITION, document, prepare, start });
