import { hostname, userInfo } from "node:os";
import type { AddedBy, AnyTables } from "@openapi-operations/storage/registration";
import { type Kysely, type NotNull, sql } from "kysely";
import type { ApiKeysTables, AuditTable } from "./keys.table.ts";

/** A change of a key, or a write made with a key. */
export type AuditEntry = KeyChange | Write;

interface Entry {
  /** In milliseconds since 1970. */
  at: number;
  keyId: number;
}

interface KeyChange extends Entry {
  action: AuditTable["action"];
  keyName: string;
  keyPrefix: string;
  /** The user who made the change, as `user@host`. */
  actor: string;
}

interface Write extends Entry {
  /** The operationId. */
  action: string;
  /** Null if the key is no longer in the database. */
  keyName: string | null;
  keyPrefix: string | null;
  /** The kind of row that was added, such as `pet`; `resourceId` is its id. */
  resource: string;
  resourceId: number;
}

/** A filter of entries. A missing field does not filter. */
export interface AuditFilter {
  keyId?: number | undefined;
  /** In milliseconds since 1970. */
  since?: number | undefined;
  /** The maximum number of entries. The latest entries are returned. */
  limit?: number | undefined;
}

/** Records a change of a key by the user of this process. `trx` is the transaction of the change. */
export async function recordAudit(
  trx: Kysely<ApiKeysTables>,
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

/** Returns the changes of keys, and the rows that keys added to these tables, from oldest to latest. */
export async function listAudit(
  db: Kysely<ApiKeysTables>,
  tables: AnyTables,
  filter: AuditFilter = {},
): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = await listKeyChanges(db, filter);
  for (const [table, { addedBy }] of Object.entries(tables)) {
    if (addedBy !== undefined) entries.push(...(await listWrites(db, table, addedBy, filter)));
  }
  return entries.toSorted((one, other) => one.at - other.at).slice(-(filter.limit ?? entries.length));
}

async function listKeyChanges(db: Kysely<ApiKeysTables>, { keyId, since, limit }: AuditFilter): Promise<KeyChange[]> {
  const latestFirst = await db
    .selectFrom("audit")
    .select(["at", "action", "key_id as keyId", "key_name as keyName", "key_prefix as keyPrefix", "actor"])
    .$if(keyId !== undefined, (query) => query.where("key_id", "=", keyId!))
    .$if(since !== undefined, (query) => query.where("at", ">=", since!))
    .orderBy("id", "desc")
    .$if(limit !== undefined, (query) => query.limit(limit!))
    .execute();
  return latestFirst.toReversed();
}

/** Returns the rows that keys added to a table. The query uses no index on purpose, because every insert would update it. */
async function listWrites(
  db: Kysely<ApiKeysTables>,
  table: string,
  { operationId, resource }: AddedBy,
  { keyId, since = 0, limit }: AuditFilter,
): Promise<Write[]> {
  const latestFirst = await db
    .selectFrom(sql<AddedRow>`${sql.table(table)}`.as("added"))
    .leftJoin("api_keys", "api_keys.id", "added.created_by")
    .select(["added.created_at as at", "added.created_by as keyId", "added.id as resourceId"])
    .select(["api_keys.name as keyName", "api_keys.prefix as keyPrefix"])
    .$narrowType<{ at: NotNull; keyId: NotNull }>()
    .where("added.created_by", "is not", null)
    .where("added.created_at", ">=", since)
    .$if(keyId !== undefined, (query) => query.where("added.created_by", "=", keyId!))
    .orderBy("added.id", "desc")
    .$if(limit !== undefined, (query) => query.limit(limit!))
    .execute();
  return latestFirst.toReversed().map((row) => ({ ...row, action: operationId, resource }));
}

/** A row of a table with `addedBy` in its metadata. */
interface AddedRow {
  id: number;
  created_by: number | null;
  created_at: number | null;
}

/** Returns the name of the user of this process, or the user id, because a user in a container may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}
