// Generated from the contract by `pnpm generate`. Do not edit.

/** A digest of each operation, by its operationId. */
export const operationFingerprints = {
  "listPets": "9b0ead22d5c78f73",
  "createPet": "13af8d7bd6331aff",
  "getPet": "fa8a1ed108bd158b"
};
