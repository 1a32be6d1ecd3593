import type { OperationsWithDefaults } from "@petstore/contract";
import type { HandlerContext } from "@platform/api-keys/environment";
import { apiKeys } from "@platform/api-keys/keys.registration";
import { idempotencyKeys } from "@platform/storage/idempotency.registration";
import { tablesOf, type TablesOf } from "@platform/storage/registration";
import type { Handlers } from "express-operations";
import { pets } from "./resources/pets/index.ts";
import { handlersOf } from "./resources/resource.ts";

/** The resources, and the packages that have tables. A table stands after those that it references. */
export const REGISTRATIONS = [pets, apiKeys, idempotencyKeys] as const;

/** Every table by its name. Times in them are milliseconds since 1970. */
export type Tables = TablesOf<(typeof REGISTRATIONS)[number]>;

/** What is to be known of every table, in that order. */
export const TABLES = tablesOf(REGISTRATIONS);

/** The handler of every operation of the contract. */
export const handlers: Handlers<OperationsWithDefaults, HandlerContext<Tables>> = handlersOf(REGISTRATIONS);
