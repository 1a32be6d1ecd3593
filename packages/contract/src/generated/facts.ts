// Generated from the contract by `pnpm generate`. Do not edit.

/** `info.version` of the contract. */
export const version = "1.0.0";

/** SHA-256 of the bundled document (`openapi.json`), in hexadecimal. */
export const hash = "d4bfbd7279b55ecae1a914aefffaf923591db1d847046a0da5edae7a2972e364";
