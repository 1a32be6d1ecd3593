// Generated from the contract by `pnpm generate`. Do not edit.

/** `info.version` of the contract. */
export const version = "1.0.0";

/** SHA-256 of the bundled document (`openapi.json`), in hexadecimal. */
export const hash = "fe25b0abf405e0c8f28bc0d6a55bfbbc526db5fa85a07f75ad279d5eb374c8ac";
