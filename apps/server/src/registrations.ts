import type { OperationsWithDefaults } from "@petstore/contract";
import { apiKeys } from "@openapi-operations/api-keys/keys.table";
import { handlersOf, tablesOf, type TablesOf } from "@openapi-operations/storage/registration";
import type { Handlers } from "express-operations";
import type { Context } from "./resources/context.ts";
import { pets } from "./resources/pets/index.ts";

/** The registrations of all resources and packages with tables. A table comes after the tables that it references. */
export const REGISTRATIONS = [pets, apiKeys] as const;

/** The row types of all tables, by table name. Times in rows are in milliseconds since 1970. */
export type Tables = TablesOf<(typeof REGISTRATIONS)[number]>;

/** The metadata of all tables, in the order of the registrations. */
export const TABLES = tablesOf(REGISTRATIONS);

/** The handlers of all operations of the contract. */
export const handlers: Handlers<OperationsWithDefaults, Context<Tables>> = handlersOf(REGISTRATIONS);
