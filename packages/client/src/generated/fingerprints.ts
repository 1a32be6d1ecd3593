// Generated from the contract by `pnpm generate`. Do not edit.

/** A digest of each operation, by its operationId. */
export const operationFingerprints = {
  "listPets": "ef807dd05edbb6bd",
  "createPet": "13af8d7bd6331aff",
  "getPet": "f3672235b2c178a2"
};
