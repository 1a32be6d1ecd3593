import type { Environment } from "@platform/service/settings";
import { preparedFirst } from "@platform/storage/prepared";
import { type Kysely, type Selectable, sql } from "kysely";
import { environmentOf, generateApiKey, hashApiKey, isWellFormedApiKey, prefixOfApiKey } from "./api-key.ts";
import { recordAudit } from "./audit.repository.ts";
import type { ApiKeysTable, ApiKeysTables } from "./keys.table.ts";

/** The scope that allows every operation, those to come included; nothing in a contract is named so. */
export const EVERY_SCOPE = "*";

/** A key as it may be shown: times in milliseconds since 1970, never the key itself or its hash. */
export interface ApiKey {
  id: number;
  name: string;
  prefix: string;
  scopes: string[];
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
  revokedAt: number | null;
}

/** A key just made, and the only place where it ever stands in full. */
export interface IssuedApiKey extends ApiKey {
  key: string;
}

/** What a key is made from; it has `EVERY_SCOPE` and no expiry unless told otherwise. */
export interface NewApiKey {
  name: string;
  scopes?: readonly string[] | undefined;
  /** In milliseconds since 1970. */
  expiresAt?: number | null | undefined;
}

/** Makes a key. */
export async function createApiKey(
  db: Kysely<ApiKeysTables>,
  { environment, ...settings }: NewApiKey & { environment: Environment },
): Promise<IssuedApiKey> {
  return inTransaction(db, (trx) => issue(trx, generateApiKey(environment), settings));
}

/** Takes in a well-formed key made elsewhere; undefined if it is known already, in whatever state. */
export async function registerApiKey(
  db: Kysely<ApiKeysTables>,
  key: string,
  settings: NewApiKey,
): Promise<ApiKey | undefined> {
  return inTransaction(db, (trx) => insertUnlessKnown(trx, key, settings));
}

/** Every key ever made, in the order of making. */
export async function listApiKeys(db: Kysely<ApiKeysTables>): Promise<ApiKey[]> {
  const rows = await db.selectFrom("api_keys").selectAll().orderBy("id").execute();
  return rows.map(toApiKey);
}

/** The new key and when the old one ends, in milliseconds since 1970; or why there is none. */
export type Rotation =
  | { outcome: "rotated"; apiKey: IssuedApiKey; oldExpiresAt: number }
  | { outcome: "not found" | "revoked" | "expired" | "rotated before" };

/**
 * Makes a key with the name, scopes and lifetime of another, which ends after `overlap` milliseconds, or at its expiry
 * if that is sooner. A key is rotated once: of several at the same time one succeeds.
 */
export async function rotateApiKey(db: Kysely<ApiKeysTables>, id: number, overlap: number): Promise<Rotation> {
  return inTransaction(db, async (trx) => {
    const now = Date.now();
    const old = await trx.selectFrom("api_keys").selectAll().where("id", "=", id).executeTakeFirst();
    if (old === undefined) return { outcome: "not found" };
    if (old.revoked_at !== null) return { outcome: "revoked" };
    if (old.rotated_at !== null) return { outcome: "rotated before" };
    if (old.expires_at !== null && old.expires_at <= now) return { outcome: "expired" };

    const oldExpiresAt = Math.min(now + overlap, old.expires_at ?? Infinity);
    const { numUpdatedRows } = await trx
      .updateTable("api_keys")
      .set({ rotated_at: now, expires_at: oldExpiresAt })
      .where("id", "=", id)
      .where("rotated_at", "is", null)
      .where("revoked_at", "is", null)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return rotateApiKey(trx, id, overlap); // PostgreSQL: another was quicker; see what it did
    await recordAudit(trx, "rotate", old);
    const apiKey = await issue(trx, generateApiKey(environmentOf(old.prefix)), {
      name: old.name,
      scopes: toScopes(old.scopes),
      expiresAt: old.expires_at && now + old.expires_at - old.created_at,
    });
    return { outcome: "rotated", apiKey, oldExpiresAt };
  });
}

/** Ends a key at once and for good; says whether it did, had been done before, or found no such key. */
export async function revokeApiKey(
  db: Kysely<ApiKeysTables>,
  id: number,
): Promise<"revoked" | "already revoked" | "not found"> {
  return inTransaction(db, async (trx) => {
    const revoked = await trx
      .updateTable("api_keys")
      .set({ revoked_at: Date.now() })
      .where("id", "=", id)
      .where("revoked_at", "is", null)
      .returning(["id", "name", "prefix"])
      .executeTakeFirst();
    if (revoked !== undefined) {
      await recordAudit(trx, "revoke", revoked);
      return "revoked";
    }
    const row = await trx.selectFrom("api_keys").select("id").where("id", "=", id).executeTakeFirst();
    return row === undefined ? "not found" : "already revoked";
  });
}

/** What a request is admitted by. */
export type ValidApiKey = Pick<ApiKey, "id" | "name" | "scopes" | "expiresAt">;

/**
 * Whose key this is and what it allows; undefined for one malformed, unknown, revoked or, at the time `now`, expired. Without
 * `now` an expired key is found as well, for those who judge its `expiresAt` themselves. Rejects when it cannot be looked up.
 */
export async function findApiKey(
  db: Kysely<ApiKeysTables>,
  key: string,
  now?: number,
): Promise<ValidApiKey | undefined> {
  if (!isWellFormedApiKey(key)) return undefined;
  const row = await unrevokedKey(db, { hash: hashApiKey(key) });
  if (row === undefined) return undefined;
  const apiKey = { id: row.id, name: row.name, scopes: toScopes(row.scopes), expiresAt: row.expires_at };
  return now !== undefined && isExpired(apiKey, now) ? undefined : apiKey;
}

/** Whether a key that ends at `expiresAt`, or never, has ended at the time `now`; both in milliseconds since 1970. */
export function isExpired({ expiresAt }: Pick<ApiKey, "expiresAt">, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

const unrevokedKey = preparedFirst((db: Kysely<ApiKeysTables>, { hash }: { hash: string }) =>
  db
    .selectFrom("api_keys")
    .select(["id", "name", "scopes", "expires_at"])
    .where("hash", "=", hash)
    .where("revoked_at", "is", null),
);

/** Keeps, in one statement, when each key was last used, by its id; a time before the one that is known changes nothing. */
export async function saveKeyUses(db: Kysely<ApiKeysTables>, uses: ReadonlyMap<number, number>): Promise<void> {
  const rows = Array.from(uses, ([id, at]) => sql`(cast(${id} as bigint), cast(${at} as bigint))`);
  // SQLite and PostgreSQL both name the columns of `values` column1 and column2.
  await sql`
    update api_keys set last_used_at = column2 from (values ${sql.join(rows)}) as used
    where id = column1 and (last_used_at is null or last_used_at < column2)`.execute(db);
}

/** Joins the transaction that `db` is, or runs one. */
async function inTransaction<Result>(
  db: Kysely<ApiKeysTables>,
  work: (trx: Kysely<ApiKeysTables>) => Promise<Result>,
): Promise<Result> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}

async function issue(trx: Kysely<ApiKeysTables>, key: string, settings: NewApiKey): Promise<IssuedApiKey> {
  const apiKey = await insertUnlessKnown(trx, key, settings);
  if (apiKey === undefined) throw new Error("Two keys of 256 random bits were the same.");
  return { ...apiKey, key };
}

async function insertUnlessKnown(
  trx: Kysely<ApiKeysTables>,
  key: string,
  { name, scopes = [EVERY_SCOPE], expiresAt = null }: NewApiKey,
): Promise<ApiKey | undefined> {
  const row = await trx
    .insertInto("api_keys")
    .values({
      name,
      prefix: prefixOfApiKey(key),
      hash: hashApiKey(key),
      scopes: scopes.join(" "),
      created_at: Date.now(),
      expires_at: expiresAt,
    })
    .onConflict((known) => known.column("hash").doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  await recordAudit(trx, "issue", row);
  return toApiKey(row);
}

function toApiKey(row: Selectable<ApiKeysTable>): ApiKey {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    scopes: toScopes(row.scopes),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}

function toScopes(text: string): string[] {
  return text === "" ? [] : text.split(" ");
}
