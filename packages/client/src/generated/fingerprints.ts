// Generated from the contract by `pnpm generate`. Do not edit.

/** A digest of each operation, by its operationId. */
export const operationFingerprints = {
  "listPets": "254c441b4034098d",
  "createPet": "ecf64ba51177798f",
  "getPet": "a129d4cc3e37f93a"
};
