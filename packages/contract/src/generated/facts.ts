// Generated from the contract by `pnpm generate`. Do not edit.

/** `info.version` of the contract. */
export const version = "1.0.0";

/** SHA-256 of the bundled document (`openapi.json`), in hexadecimal. */
export const hash = "cdb9c7f1c620316582618f8094b20946d12ca210946ae126731bcbb908c51e00";
