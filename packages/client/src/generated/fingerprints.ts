// Generated from the contract by `pnpm generate`. Do not edit.

/** A digest of each operation, by its operationId. */
export const operationFingerprints = {
  "listPets": "eb056151bfb5c48c",
  "createPet": "933239101a1f413f",
  "getPet": "495e935d7c16f1bc"
};
