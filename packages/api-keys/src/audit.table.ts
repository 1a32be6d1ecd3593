import type { Generated } from "kysely";

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
