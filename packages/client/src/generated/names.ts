// Generated from the contract by fetch-operations. Do not edit.
import type { components } from "./schema.ts";

export type PetStatus = components["schemas"]["PetStatus"];
export type PetId = components["schemas"]["PetId"];
export type PetName = components["schemas"]["PetName"];
export type CategoryId = components["schemas"]["CategoryId"];
export type NewPet = components["schemas"]["NewPet"];
export type Pet = components["schemas"]["Pet"];
export type Pets = components["schemas"]["Pets"];
export type Error = components["schemas"]["Error"];
