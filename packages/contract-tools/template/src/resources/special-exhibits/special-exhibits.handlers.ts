import type { OperationIdsByTag, OperationsWithDefaults } from "@museum/contract";
import { stub } from "@openapi-operations/service/stub";
import type { Handlers } from "express-operations";
import type { Context } from "../context.ts";

/** The operations tagged Special exhibits. */
export const specialExhibitsHandlers = {
  listExhibits: stub(),
  addExhibit: stub(),
} satisfies Handlers<Pick<OperationsWithDefaults, OperationIdsByTag["Special exhibits"]>, Context>;
