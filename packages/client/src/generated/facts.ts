// Generated from the contract by `pnpm generate`. Do not edit.

/** `info.version` of the contract. */
export const version = "1.0.0";

/** SHA-256 of the bundled document (`openapi.json`) without its `servers`, in hexadecimal. */
export const hash = "8e5df96a46c6b5e29374def096321aaf00fc5e097c6bb00a7669908139b989b4";
