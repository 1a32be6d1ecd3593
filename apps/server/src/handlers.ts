import type { HandledOperations } from "@petstore/contract";
import type { Handlers } from "express-operations";
import type { Environment } from "./keys/environment.ts";
import { petsHandlers } from "./pets/pets.handlers.ts";
import type { Tables } from "./registrations.ts";

/** The handler of every operation of the contract. */
export const handlers: Handlers<HandledOperations, Environment<Tables>> = {
  ...petsHandlers,
};
