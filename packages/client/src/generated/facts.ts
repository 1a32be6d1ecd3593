// Generated from the contract by `pnpm generate`. Do not edit.

/** `info.version` of the contract. */
export const version = "1.0.0";

/** SHA-256 of the bundled document (`openapi.json`) without its `servers`, in hexadecimal. */
export const hash = "05c60fff0ddd29c84c1c034a99e9d0665525149f10822b917444089370f24175";

/** The scopes that the operations of the contract require. */
export const scopes = ["pets:read", "pets:write"] as const;
