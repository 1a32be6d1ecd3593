import type { Generated } from "kysely";
import type { AuditTable } from "./audit.table.ts";

/** The tables of API keys, by their names. */
export interface ApiKeysTables {
  api_keys: ApiKeysTable;
  audit: AuditTable;
}

/** The API keys: of the key itself only its SHA-256 and the prefix by which a person recognises it. */
export interface ApiKeysTable {
  id: Generated<number>;
  name: string;
  prefix: string;
  hash: string;
  /** Separated by spaces, as in RFC 6749, section 3.3. */
  scopes: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  /** Behind by a few seconds: see `keyUses`. */
  last_used_at: number | null;
  rotated_at: number | null;
}
