import type { Environment } from "@openapi-operations/service/settings";
import { prepared, preparedFirst } from "@openapi-operations/storage/prepared";
import { type Kysely, type Selectable, sql } from "kysely";
import { environmentOf, generateApiKey, hashApiKey, isWellFormedApiKey, prefixOfApiKey } from "./api-key.ts";
import { recordAudit } from "./audit.repository.ts";
import type { ApiKeysTable, ApiKeysTables } from "./keys.table.ts";

/** The scope that allows all operations, including future ones. No scope of a contract has this name. */
export const EVERY_SCOPE = "*";

/** The public fields of a key, without the secret and its hash. Times are in milliseconds since 1970. */
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

/** A newly created key. Only this object contains the complete key. */
export interface IssuedApiKey extends ApiKey {
  key: string;
}

/** The settings of a new key. Default: `EVERY_SCOPE`, without expiry. */
export interface NewApiKey {
  name: string;
  scopes?: readonly string[] | undefined;
  /** In milliseconds since 1970. */
  expiresAt?: number | null | undefined;
}

export async function createApiKey(
  db: Kysely<ApiKeysTables>,
  { environment, ...settings }: NewApiKey & { environment: Environment },
): Promise<IssuedApiKey> {
  return inTransaction(db, (trx) => issueKey(trx, generateApiKey(environment), settings));
}

/** Adds an existing well-formed key. Returns undefined if the database already has the key, even revoked. */
export async function registerApiKey(
  db: Kysely<ApiKeysTables>,
  key: string,
  settings: NewApiKey,
): Promise<ApiKey | undefined> {
  return inTransaction(db, (trx) => insertUnlessExists(trx, key, settings));
}

/** Returns all keys in the order of creation, including expired and revoked keys. */
export async function listApiKeys(db: Kysely<ApiKeysTables>): Promise<ApiKey[]> {
  const rows = await db.selectFrom("api_keys").selectAll().orderBy("id").execute();
  return rows.map(toApiKey);
}

/** The result of a rotation: the new key and the expiry of the old one (milliseconds since 1970), or the reason for failure. */
export type Rotation =
  | { outcome: "rotated"; apiKey: IssuedApiKey; oldExpiresAt: number }
  | { outcome: "not found" | "revoked" | "expired" | "rotated before" };

/**
 * Creates a key with the name, scopes and lifetime of an existing key. The old key expires after `overlap` milliseconds, or
 * earlier if its expiry is earlier. A key can be rotated only once, even by concurrent rotations.
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
    if (numUpdatedRows === 0n) return rotateApiKey(trx, id, overlap); // a concurrent change won (PostgreSQL only)
    await recordAudit(trx, "rotate", old);
    const apiKey = await issueKey(trx, generateApiKey(environmentOf(old.prefix)), {
      name: old.name,
      scopes: toScopes(old.scopes),
      expiresAt: old.expires_at && now + old.expires_at - old.created_at,
    });
    return { outcome: "rotated", apiKey, oldExpiresAt };
  });
}

/** Revokes a key permanently. */
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

/** The fields of a valid key that authorize a request. */
export type ValidApiKey = Pick<ApiKey, "id" | "name" | "scopes" | "expiresAt">;

/**
 * Returns the key, or undefined if the key is malformed, unknown, revoked, or expired at the time `now`. Without `now`, also
 * returns expired keys; the caller must check `expiresAt`. Rejects if the database cannot be queried.
 */
export async function findApiKey(
  db: Kysely<ApiKeysTables>,
  key: string,
  now?: number,
): Promise<ValidApiKey | undefined> {
  const apiKey = isWellFormedApiKey(key) ? await findUnrevokedKey(db, hashApiKey(key)) : undefined;
  return apiKey !== undefined && now !== undefined && isExpired(apiKey, now) ? undefined : apiKey;
}

/** Returns the key with this hash unless it is unknown or revoked. It may have expired. */
export async function findUnrevokedKey(db: Kysely<ApiKeysTables>, hash: string): Promise<ValidApiKey | undefined> {
  const row = await unrevokedKey(db, { hash });
  return row && toValidApiKey(row);
}

/** Returns the keys with these hashes, by hash, from PostgreSQL. Unknown and revoked keys are missing. */
export async function findUnrevokedKeys(
  db: Kysely<ApiKeysTables>,
  hashes: readonly string[],
): Promise<Map<string, ValidApiKey>> {
  const rows = await unrevokedKeys(db, { hashes });
  return new Map(rows.map((row) => [row.hash, toValidApiKey(row)]));
}

function toValidApiKey(row: Pick<Selectable<ApiKeysTable>, "id" | "name" | "scopes" | "expires_at">): ValidApiKey {
  return { id: row.id, name: row.name, scopes: toScopes(row.scopes), expiresAt: row.expires_at };
}

/** Whether a key has expired at the time `now`, in milliseconds since 1970. A key without `expiresAt` never expires. */
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

/** Takes one array, so that PostgreSQL parses one statement whatever its length. */
const unrevokedKeys = prepared((db: Kysely<ApiKeysTables>, { hashes }: { hashes: readonly string[] }) =>
  db
    .selectFrom("api_keys")
    .select(["id", "name", "scopes", "expires_at", "hash"])
    .where(sql<boolean>`hash = any(${hashes}::text[])`)
    .where("revoked_at", "is", null),
);

/** Saves the last uses of keys, by id, in one statement. A later time in the database is kept. */
export async function saveKeyUses(db: Kysely<ApiKeysTables>, uses: ReadonlyMap<number, number>): Promise<void> {
  const rows = Array.from(uses, ([id, at]) => sql`(cast(${id} as bigint), cast(${at} as bigint))`);
  // SQLite and PostgreSQL both name the columns of `values` column1 and column2.
  await sql`
    update api_keys set last_used_at = column2 from (values ${sql.join(rows)}) as used
    where id = column1 and (last_used_at is null or last_used_at < column2)`.execute(db);
}

/** Runs the work in `db` if `db` is a transaction, and otherwise in a new transaction. */
async function inTransaction<Result>(
  db: Kysely<ApiKeysTables>,
  work: (trx: Kysely<ApiKeysTables>) => Promise<Result>,
): Promise<Result> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}

async function issueKey(trx: Kysely<ApiKeysTables>, key: string, settings: NewApiKey): Promise<IssuedApiKey> {
  const apiKey = await insertUnlessExists(trx, key, settings);
  if (apiKey === undefined) throw new Error("Two keys of 256 random bits were the same.");
  return { ...apiKey, key };
}

async function insertUnlessExists(
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

/**
 * Throws if one of the scopes cannot be given to a key. A scope must be a token of RFC 6749, section 3.3, and not
 * `EVERY_SCOPE`. It must not contain a comma, because commas separate scopes on the command line.
 */
export function expectValidScopes(scopes: readonly string[]): void {
  const wrong = scopes.find((scope) => scope === EVERY_SCOPE || !/^[!#-+\--[\]-~]+$/.test(scope));
  if (wrong === undefined) return;
  throw new Error(
    `No API key can have the scope ${JSON.stringify(wrong)}, which an operation of the contract requires. ` +
      'Name it in visible ASCII characters without a comma, a quotation mark or a backslash, and not "*".',
  );
}
