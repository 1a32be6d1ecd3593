// Generated from the contract by `pnpm generate`. Do not edit.

/** `info.version` of the contract. */
export const version = "1.0.0";

/** SHA-256 of the bundled document (`openapi.json`) without its `servers`, in hexadecimal. */
export const hash = "6a8df253132b4daadabfc14b7d4e8faa3300fe935f51031d0b4c2c31dba909fd";

/** The scopes that the operations of the contract require. */
export const scopes = ["pets:read", "pets:write"] as const;

/** The path of the first server of the contract, below which the service serves its operations. */
export const basePath = "/v1";

/** Commands that try operations: `{url}` stands for the base URL, `{key}` for an API key, `$TOKEN` for a token. */
export const curlExamples: readonly string[] = [
  "curl -i -H \"Authorization: Bearer {key}\" {url}/pets",
  "curl -i -H \"Authorization: Bearer {key}\" -H 'Content-Type: application/json' -d '{\"name\":\"Rex\",\"categoryId\":1}' {url}/pets"
];
