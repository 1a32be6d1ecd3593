// Generated from the contract by `pnpm generate`. Do not edit.

/** `info.version` of the contract. */
export const version = "1.0.0";

/** SHA-256 of the bundled document (`openapi.json`), in hexadecimal. */
export const hash = "27bcf7d87ea5470266c8ae564d89817424e6220efa002ad6535103916a179c4c";
