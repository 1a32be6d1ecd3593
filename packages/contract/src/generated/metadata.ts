// Generated from the contract by `pnpm generate`. Do not edit.

/** `info.version` of the contract. */
export const version = "1.0.0";

/** SHA-256 of the bundled document (`openapi.json`) without its `servers`, in hexadecimal. */
export const hash = "7b0048f8888f32ae223546d333d91ccfc1f6514256b4025c33c1c32a874fe49d";

/** The scopes that the operations of the contract require. */
export const scopes = ["pets:read", "pets:write"] as const;

/** The path of the first server of the contract, below which the service serves its operations. */
export const basePath = "/v1";

/** Commands that try operations: `{url}` stands for the base URL, `{key}` for an API key, `$TOKEN` for a token. */
export const curlExamples: readonly string[] = [
  "curl -i -H \"Authorization: Bearer {key}\" {url}/pets",
  "curl -i -H \"Authorization: Bearer {key}\" -H 'Content-Type: application/json' -d '{\"name\":\"Rex\",\"categoryId\":1}' {url}/pets"
];
