// Generated from the contract by `pnpm generate`. Do not edit.

/** `info.version` of the contract. */
export const version = "1.0.0";

/** SHA-256 of the bundled document (`openapi.json`), in hexadecimal. */
export const hash = "e906476135df6dc7c6c400feec0fc8626972a6e01a517378c0059f871cd932a5";
