// Generated from the contract by `pnpm generate`. Do not edit.

/** `info.version` of the contract. */
export const version = "1.0.0";

/** SHA-256 of the bundled document (`openapi.json`) without its `servers`, in hexadecimal. */
export const hash = "1ec7c4bafd0aa55b3c6495cbbae27686ab6421ab34d5260101be7fb02f93a1f2";
