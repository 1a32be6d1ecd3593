// Generated from the contract by `pnpm generate`. Do not edit.

/** `info.version` of the contract. */
export const version = "1.0.0";

/** SHA-256 of the bundled document (`openapi.json`) without its `servers`, in hexadecimal. */
export const hash = "ccab56c5fbacfec61a2f034e1641f139a489d888f66c8394a3d6b9b07a478fa9";

/** The scopes that the operations of the contract require. */
export const scopes = ["pets:read", "pets:write"] as const;
