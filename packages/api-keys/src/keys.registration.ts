import type { Registration } from "@platform/storage/registration";
import type { ApiKeysTables } from "./keys.table.ts";

/** The registration of API keys and their audit entries. */
export const apiKeys: Registration<ApiKeysTables> = {
  tables: { api_keys: { key: ["id"], noun: ["API key", "API keys"] }, audit: { key: ["id"] } },
};
