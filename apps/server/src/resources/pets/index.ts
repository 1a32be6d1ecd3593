import type { OperationIdsByTag } from "@petstore/contract";
import type { Resource } from "@openapi-operations/storage/registration";
import { petsHandlers } from "./pets.handlers.ts";
import type { PetsTables } from "./pets.table.ts";

/** The registration of the resource pets. */
export const pets: Resource<typeof petsHandlers, PetsTables> = {
  handlers: petsHandlers,
  tables: {
    pets: {
      key: ["id"],
      noun: ["animal", "animals"],
      addedBy: { operationId: "createPet" satisfies OperationIdsByTag["Pets"], resource: "pet" },
    },
  },
};
