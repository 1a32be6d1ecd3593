import type { Registration } from "@platform/storage/registration";
import type { ApiKeysTables } from "./keys.table.ts";

/** The API keys, and the trail of what was done to them. */
export const apiKeys: Registration<ApiKeysTables> = {
  tables: { api_keys: { key: ["id"], noun: ["API key", "API keys"] }, audit: { key: ["id"] } },
};
