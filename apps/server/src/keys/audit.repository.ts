import { hostname, userInfo } from "node:os";
import type { Database } from "../database/database.ts";
import type { AuditTable } from "./audit.table.ts";

/** One thing done to a key; `at` in milliseconds since 1970, `actor` as `user@host`. */
export interface AuditEntry {
  at: number;
  action: AuditTable["action"];
  keyId: number;
  keyName: string;
  keyPrefix: string;
  actor: string;
}

/** Records what is done to a key, by the user whom this process runs as; `trx` is the transaction that does it. */
export async function recordAudit(
  trx: Database,
  action: AuditTable["action"],
  key: { id: number; name: string; prefix: string },
): Promise<void> {
  await trx
    .insertInto("audit")
    .values({
      at: Date.now(),
      action,
      key_id: key.id,
      key_name: key.name,
      key_prefix: key.prefix,
      actor: `${userName()}@${hostname()}`,
    })
    .execute();
}

/** Everything done to keys, in the order of doing. */
export async function listAudit(db: Database): Promise<AuditEntry[]> {
  return db
    .selectFrom("audit")
    .select(["at", "action", "key_id as keyId", "key_name as keyName", "key_prefix as keyPrefix", "actor"])
    .orderBy("id")
    .execute();
}

/** A container may run as a user that has a number and no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}
