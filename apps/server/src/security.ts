import type { Schemes } from "@openapi-operations/api-keys/schemes";

/** How the credentials of each security scheme of the contract are validated. */
export const SCHEMES = { bearerAuth: "apiKey" } as const satisfies Schemes;
