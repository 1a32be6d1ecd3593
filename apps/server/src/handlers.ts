import type { HandledOperations } from "@petstore/contract";
import type { Handlers } from "express-operations";
import type { Environment } from "./environment.ts";
import { petsHandlers } from "./pets/pets.handlers.ts";

/** The handler of every operation of the contract. */
export const handlers: Handlers<HandledOperations, Environment> = {
  ...petsHandlers,
};
