import { hostname, userInfo } from "node:os";
import type { AddedBy, AnyTables } from "@platform/storage/registration";
import { type Kysely, type NotNull, sql } from "kysely";
import type { AuditTable } from "./audit.table.ts";
import type { ApiKeysTables } from "./keys.table.ts";

/** One thing done to a key, or one write made with it. */
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
  /** As `user@host`. */
  actor: string;
}

interface Write extends Entry {
  /** The operationId. */
  action: string;
  /** Null for a key that is not in the database any more. */
  keyName: string | null;
  keyPrefix: string | null;
  /** What was added, such as `pet`, and its id. */
  resource: string;
  resourceId: number;
}

/** Which entries to list: of one key, from a time on (milliseconds since 1970), and at most so many, the latest. */
export interface AuditFilter {
  keyId?: number | undefined;
  since?: number | undefined;
  limit?: number | undefined;
}

/** Records what is done to a key, by the user whom this process runs as; `trx` is the transaction that does it. */
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

/** What was done to keys, and what was written with them to these tables, in the order of time. */
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

/** Found without an index, which every creation would have to keep; the latest need no more than the end of the table. */
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

/** A row of a table that has `addedBy`. */
interface AddedRow {
  id: number;
  created_by: number | null;
  created_at: number | null;
}

/** A container may run as a user that has a number and no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}
