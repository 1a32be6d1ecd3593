import { columnTypes } from "@openapi-operations/storage/columns";
import { isPostgres } from "@openapi-operations/storage/database";
import type { Migrations } from "@openapi-operations/storage/migrations";
import type { Registration } from "@openapi-operations/storage/registration";
import { type Generated, type Kysely, sql } from "kysely";

/** The row types of the tables, by table name. */
export interface ApiKeysTables {
  api_keys: ApiKeysTable;
  audit: AuditTable;
  idempotency_keys: IdempotencyKeysTable;
}

/** The table of API keys. It contains only the SHA-256 of a key and a prefix to recognize it. */
export interface ApiKeysTable {
  id: Generated<number>;
  name: string;
  prefix: string;
  hash: string;
  /** Separated by spaces (RFC 6749, section 3.3). */
  scopes: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  /** Delayed by a few seconds; see `keyUses`. */
  last_used_at: number | null;
  rotated_at: number | null;
}

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

/** A response stored for `Idempotency-Key`, by API key. */
export interface IdempotencyKeysTable {
  api_key_id: number;
  key: string;
  request_hash: string;
  /** The response as JSON. */
  answer: string;
  created_at: number;
}

/** The registration of API keys, their audit entries and their responses stored for `Idempotency-Key`. */
export const apiKeys: Registration<ApiKeysTables> = {
  tables: {
    api_keys: { key: ["id"], noun: ["API key", "API keys"] },
    audit: { key: ["id"] },
    idempotency_keys: {
      key: ["api_key_id", "key"],
      noun: ["response stored for Idempotency-Key", "responses stored for Idempotency-Key"],
    },
  },
};

/** Creates the table of API keys. */
async function createApiKeys(db: Kysely<unknown>): Promise<void> {
  const { id, integer, strict } = columnTypes(db);
  await sql`
    create table api_keys (
      id ${id},
      name text not null,
      prefix text not null,
      hash text not null unique,
      scopes text not null,
      created_at ${integer} not null,
      expires_at ${integer},
      revoked_at ${integer}
    ) ${strict}`.execute(db);
}

/** Adds the times of the last use and of the rotation of API keys, and creates the audit table. */
async function auditApiKeys(db: Kysely<unknown>): Promise<void> {
  const { id, integer, strict } = columnTypes(db);
  await sql`alter table api_keys add column last_used_at ${integer}`.execute(db);
  await sql`alter table api_keys add column rotated_at ${integer}`.execute(db);

  await sql`
    create table audit (
      id ${id},
      at ${integer} not null,
      action text not null check (action in ('issue', 'rotate', 'revoke')),
      key_id ${integer} not null,
      key_name text not null,
      key_prefix text not null,
      actor text not null
    ) ${strict}`.execute(db);
}

/**
 * Creates the table of rate limits on PostgreSQL. The table is unlogged, so that
 * counting does not wait for the disk; a crash of the server loses only the counts. SQLite processes count in memory.
 */
async function createRateLimits(db: Kysely<unknown>): Promise<void> {
  if (!isPostgres(db)) return;
  await sql`
    create unlogged table rate_limits (
      key text primary key,
      points bigint not null,
      expire bigint
    )`.execute(db);
}

/** Creates the table of responses stored for `Idempotency-Key`, by API key. */
async function createIdempotencyKeys(db: Kysely<unknown>): Promise<void> {
  const { integer, strictWithoutRowid } = columnTypes(db);
  await sql`
    create table idempotency_keys (
      api_key_id ${integer} not null references api_keys (id),
      key text not null,
      request_hash text not null,
      answer text not null,
      created_at ${integer} not null,
      primary key (api_key_id, key)
    ) ${strictWithoutRowid}`.execute(db);
  await sql`create index idempotency_keys_created_at on idempotency_keys (created_at)`.execute(db);
}

/** The migrations of the tables, which come before those of a service. */
export const API_KEY_MIGRATIONS = {
  "0001_create_tables": {
    servedBy: "every version",
    up: async (db) => {
      await createApiKeys(db);
      await createIdempotencyKeys(db);
    },
  },
  "0002_audit_api_keys": { servedBy: "every version", up: auditApiKeys },
  "0003_create_rate_limits": { servedBy: "every version", up: createRateLimits },
} as const satisfies Migrations;
