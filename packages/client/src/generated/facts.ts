// Generated from the contract by `pnpm generate`. Do not edit.

/** `info.version` of the contract. */
export const version = "1.0.0";

/** SHA-256 of the bundled document (`openapi.json`), in hexadecimal. */
export const hash = "1761cc12f7d6cfcfa9b166c0ae88c7ce8c6162194357ddb95254929bc35b52a1";
