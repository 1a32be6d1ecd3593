// Generated from the contract by `pnpm generate`. Do not edit.
import type { OperationInput, OperationOutput } from "../operation.ts";
import type { components } from "./schema.ts";

export type PetStatus = components["schemas"]["PetStatus"];
export type PetId = components["schemas"]["PetId"];
export type PetName = components["schemas"]["PetName"];
export type CategoryId = components["schemas"]["CategoryId"];
export type NewPet = components["schemas"]["NewPet"];
export type Pet = components["schemas"]["Pet"];
export type Pets = components["schemas"]["Pets"];
export type Error = components["schemas"]["Error"];

export type ListPetsInput = OperationInput<"listPets">;
export type ListPetsOutput = OperationOutput<"listPets">;
export type CreatePetInput = OperationInput<"createPet">;
export type CreatePetOutput = OperationOutput<"createPet">;
export type GetPetInput = OperationInput<"getPet">;
export type GetPetOutput = OperationOutput<"getPet">;

/** The operationIds of each tag. */
export interface OperationIdsByTag {
  "Pets": "listPets" | "createPet" | "getPet";
}
