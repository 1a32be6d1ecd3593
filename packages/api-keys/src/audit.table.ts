import type { Generated } from "kysely";

/** What was done to API keys, when and by whom. A row holds nothing of a key but its prefix, and outlives it. */
export interface AuditTable {
  id: Generated<number>;
  at: number;
  action: "issue" | "rotate" | "revoke";
  key_id: number;
  key_name: string;
  key_prefix: string;
  actor: string;
}
