// Generated from the contract by `pnpm generate`. Do not edit.

/** `info.version` of the contract. */
export const version = "1.0.0";

/** SHA-256 of the bundled document (`openapi.json`), in hexadecimal. */
export const hash = "bb08dd8b051151ccb1640d9f54c4ab3d540523f893fcdb95d61e92b7929ef894";
