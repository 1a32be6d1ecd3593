import { SERVICE } from "@openapi-operations/command-line/name";
import { type KeptData, columnsOf } from "@openapi-operations/storage/kept-data";
import type Sqlite from "better-sqlite3";
import type { Selectable } from "kysely";
import type { ApiKeysTable, AuditTable } from "./keys.table.ts";

/** Keeps API keys revoked or rotated when an older backup is restored, and copies their audit entries. */
export const keptApiKeys: KeptData = {
  read: (replaced) => {
    const keys = keysOf(replaced).filter(({ revoked_at, rotated_at }) => revoked_at !== null || rotated_at !== null);
    const trail = auditEntriesOf(replaced);
    return (restored) => {
      const outcomes = keys.map((key) => ({ key, outcome: keepKey(restored, key) }));
      const changed = outcomes.filter(({ outcome }) => outcome !== "unchanged");
      for (const { key } of changed)
        for (const entry of trail.filter(({ key_id }) => key_id === key.id)) addToAudit(restored, entry, key.hash);
      return {
        summary: `Revoked or rotated since the backup, and still so: ${changed.length} API key${changed.length === 1 ? "" : "s"}.`,
        added: { api_keys: changed.filter(({ outcome }) => outcome === "added").length },
      };
    };
  },
  unread: {
    risk: "keys revoked since the backup may be valid again",
    consequence: "API keys that were revoked since the backup may be valid again",
    get remedy() {
      return `Run \`${SERVICE.name} keys list\`, and revoke again the keys that were revoked since the backup.`;
    },
  },
};

type KeyRow = Selectable<ApiKeysTable>;
type AuditRow = Omit<Selectable<AuditTable>, "id">;

/** Returns the keys of a database of any version. Older versions lack some columns, or the whole table. */
function keysOf(file: Sqlite.Database): KeyRow[] {
  if (columnsOf(file, "api_keys").length === 0) return [];
  const rows = file.prepare<[], KeyRow>("select * from api_keys order by id").all();
  return rows.map((row) => ({ ...LATER_COLUMNS, ...row }));
}

const LATER_COLUMNS = { last_used_at: null, rotated_at: null } satisfies Partial<KeyRow>;

function auditEntriesOf(file: Sqlite.Database): AuditRow[] {
  if (columnsOf(file, "audit").length === 0) return [];
  return file
    .prepare<[], AuditRow>("select at, action, key_id, key_name, key_prefix, actor from audit order by id")
    .all();
}

/**
 * Revokes or rotates a key as in the replaced database, and returns the change. A key that the backup lacks is
 * added, because a bootstrap file could otherwise register the key again.
 */
function keepKey(file: Sqlite.Database, key: KeyRow): "unchanged" | "updated" | "added" {
  const known = file.prepare<[string], KeyRow>("select * from api_keys where hash = ?").get(key.hash);
  if (known === undefined) {
    const isFree = file.prepare("select 1 from api_keys where id = ?").get(key.id) === undefined;
    const columns = columnsOf(file, "api_keys");
    file
      .prepare(`insert into api_keys (${columns.join(", ")}) values (${columns.map((name) => `@${name}`).join(", ")})`)
      .run({ ...key, id: isFree ? key.id : null });
    return "added";
  }
  const isNewlyRevokedOrRotated =
    (known.revoked_at === null && key.revoked_at !== null) || (known.rotated_at === null && key.rotated_at !== null);
  const { changes } = file
    .prepare(
      `update api_keys set
        revoked_at = coalesce(revoked_at, @revoked_at),
        rotated_at = coalesce(rotated_at, @rotated_at),
        expires_at = min(coalesce(expires_at, @expires_at), coalesce(@expires_at, expires_at))
      where hash = @hash`,
    )
    .run(key);
  return isNewlyRevokedOrRotated && changes === 1 ? "updated" : "unchanged";
}

function addToAudit(file: Sqlite.Database, entry: AuditRow, hash: string): void {
  file
    .prepare(
      `insert into audit (at, action, key_id, key_name, key_prefix, actor)
      select @at, @action, id, @key_name, @key_prefix, @actor from api_keys as owner where hash = @hash
        and not exists (select 1 from audit where action = @action and key_id = owner.id and at = @at)`,
    )
    .run({ ...entry, hash });
}
