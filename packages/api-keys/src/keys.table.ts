import type { Generated } from "kysely";
import type { AuditTable } from "./audit.table.ts";

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
