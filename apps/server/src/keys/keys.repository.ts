import type { Selectable } from "kysely";
import type { Config } from "../config.ts";
import type { Database } from "../database.ts";
import { generateApiKey, hashApiKey, isWellFormedApiKey, prefixOfApiKey } from "./api-key.ts";
import type { ApiKeysTable } from "./keys.table.ts";

/** What a key can allow; the contract's operations name the one they need. */
export const SCOPES = ["pets:read", "pets:write"] as const;

/** One of `SCOPES`. */
export type Scope = (typeof SCOPES)[number];

/** A key as it may be shown: times in milliseconds since 1970, never the key itself or its hash. */
export interface ApiKey {
  id: number;
  name: string;
  prefix: string;
  scopes: Scope[];
  createdAt: number;
  expiresAt: number | null;
  revokedAt: number | null;
}

/** What a new key is made from; it has every scope and no expiry unless told otherwise. */
export interface NewApiKey {
  name: string;
  environment: Config["environment"];
  scopes?: readonly Scope[] | undefined;
  expiresAt?: number | undefined;
}

/** Makes a key. The answer is the only place where it ever stands in full. */
export async function createApiKey(
  db: Database,
  { name, environment, scopes = SCOPES, expiresAt }: NewApiKey,
): Promise<ApiKey & { key: string }> {
  const key = generateApiKey(environment);
  const row = await db
    .insertInto("api_keys")
    .values({
      name,
      prefix: prefixOfApiKey(key),
      hash: hashApiKey(key),
      scopes: scopes.join(" "),
      created_at: Date.now(),
      expires_at: expiresAt ?? null,
      revoked_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { ...toApiKey(row), key };
}

/** Every key ever made, in the order of making. */
export async function listApiKeys(db: Database): Promise<ApiKey[]> {
  const rows = await db.selectFrom("api_keys").selectAll().orderBy("id").execute();
  return rows.map(toApiKey);
}

/** Ends a key at once and for good; says whether it did, had been done before, or found no such key. */
export async function revokeApiKey(db: Database, id: number): Promise<"revoked" | "already revoked" | "not found"> {
  const { numUpdatedRows } = await db
    .updateTable("api_keys")
    .set({ revoked_at: Date.now() })
    .where("id", "=", id)
    .where("revoked_at", "is", null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) return "revoked";
  const row = await db.selectFrom("api_keys").select("id").where("id", "=", id).executeTakeFirst();
  return row === undefined ? "not found" : "already revoked";
}

/** Whose key this is and what it allows at the time `now`; undefined for one malformed, unknown, expired or revoked. */
export async function findApiKey(
  db: Database,
  key: string,
  now: number,
): Promise<Pick<ApiKey, "id" | "name" | "scopes"> | undefined> {
  if (!isWellFormedApiKey(key)) return undefined;
  const row = await db
    .selectFrom("api_keys")
    .select(["id", "name", "scopes"])
    .where("hash", "=", hashApiKey(key))
    .where("revoked_at", "is", null)
    .where((where) => where.or([where("expires_at", "is", null), where("expires_at", ">", now)]))
    .executeTakeFirst();
  return row && { id: row.id, name: row.name, scopes: toScopes(row.scopes) };
}

function toApiKey(row: Selectable<ApiKeysTable>): ApiKey {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    scopes: toScopes(row.scopes),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}

function toScopes(text: string): Scope[] {
  return SCOPES.filter((scope) => text.split(" ").includes(scope));
}
