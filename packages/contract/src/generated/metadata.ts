// Generated from the contract by `pnpm generate`. Do not edit.

/** `info.version` of the contract. */
export const version = "1.0.0";

/** SHA-256 of the bundled document (`openapi.json`) without its `servers`, in hexadecimal. */
export const hash = "35c4fea7977a0a0c83fb9c6d0074005b77ca72e66787898db3c5e53b06b54cc3";

/** The scopes that the operations of the contract require. */
export const scopes = ["pets:read", "pets:write"] as const;
