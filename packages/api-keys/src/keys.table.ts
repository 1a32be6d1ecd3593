import type { Registration } from "@platform/storage/registration";
import type { Generated } from "kysely";

/** The row types of the tables, by table name. */
export interface ApiKeysTables {
  api_keys: ApiKeysTable;
  audit: AuditTable;
}

/** The table of API keys. It contains only the SHA-256 of a key and a prefix to recognize it. */
export interface ApiKeysTable {
  id: Generated<number>;
  name: string;
  prefix: string;
  hash: string;
  /** Separated by spaces (RFC 6749, section 3.3). */
  scopes: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  /** Delayed by a few seconds; see `keyUses`. */
  last_used_at: number | null;
  rotated_at: number | null;
}

/** The table of changes of API keys. A row contains only the prefix of a key, and remains after the key is deleted. */
export interface AuditTable {
  id: Generated<number>;
  at: number;
  action: "issue" | "rotate" | "revoke";
  key_id: number;
  key_name: string;
  key_prefix: string;
  actor: string;
}

/** The registration of API keys and their audit entries. */
export const apiKeys: Registration<ApiKeysTables> = {
  tables: { api_keys: { key: ["id"], noun: ["API key", "API keys"] }, audit: { key: ["id"] } },
};
