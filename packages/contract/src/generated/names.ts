// Generated from the contract by `pnpm generate`. Do not edit.
import type { InputOf, OutputOf } from "openapi-document";
import type { components, operations } from "./schema.ts";

export type PetStatus = components["schemas"]["PetStatus"];
export type PetId = components["schemas"]["PetId"];
export type PetName = components["schemas"]["PetName"];
export type CategoryId = components["schemas"]["CategoryId"];
export type NewPet = components["schemas"]["NewPet"];
export type Pet = components["schemas"]["Pet"];
export type Pets = components["schemas"]["Pets"];
export type Error = components["schemas"]["Error"];

export type ListPetsInput = InputOf<operations["listPets"]>;
export type ListPetsOutput = OutputOf<operations["listPets"]>;
export type CreatePetInput = InputOf<operations["createPet"]>;
export type CreatePetOutput = OutputOf<operations["createPet"]>;
export type GetPetInput = InputOf<operations["getPet"]>;
export type GetPetOutput = OutputOf<operations["getPet"]>;

/** The operationIds of each tag. */
export interface OperationIdsByTag {
  "Pets": "listPets" | "createPet" | "getPet";
}
