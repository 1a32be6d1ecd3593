import { setImmediate as immediate } from "node:timers/promises";
import type { RequestState } from "@openapi-operations/service/stages";
import type { Environment } from "@openapi-operations/service/settings";
import { isPostgres } from "@openapi-operations/storage/database";
import { DatabaseError, isDatabaseUnavailable } from "@openapi-operations/storage/database-error";
import type { Storage } from "@openapi-operations/storage/storage";
import type { Request } from "express";
import type { Grant } from "express-operations";
import type { Kysely } from "kysely";
import type { Logger } from "pino";
import { hashIn } from "./api-key.ts";
import {
  type ApiKey,
  EVERY_SCOPE,
  findUnrevokedKey,
  findUnrevokedKeys,
  saveKeyUses,
  type ValidApiKey,
} from "./keys.repository.ts";
import type { ApiKeysTables } from "./keys.table.ts";

/** The caller of a request with the granted scopes. */
export type Authenticated = Grant<Pick<ApiKey, "id" | "name">>;

/** `endsAt` is in milliseconds since 1970, or Infinity for a key without expiry. */
type CachedKey = Authenticated & { endsAt: number };

/** The size of each cache: more keys than are in use at a time, in a few MiB of memory. */
const MAX_CACHED_KEYS = 10_000;

/**
 * Returns a function that resolves a token to its caller, or to undefined if the token is invalid. A revoked or expired key
 * is rejected from the next request on, because each request uses the data as of its arrival.
 *
 * Valid and invalid tokens are cached until `credentialsVersion` changes, up to `maxCachedKeys` of each. Expiry is checked on each
 * request, because the clock may be set back. In production, keys of other environments are invalid. The function throws `DatabaseError` if the key cannot be looked up.
 */
export function authentication(
  db: Kysely<ApiKeysTables>,
  uses: KeyUses,
  environment: Environment,
  maxCachedKeys = MAX_CACHED_KEYS,
): (token: string, request: Request) => Authenticated | undefined | Promise<Authenticated | undefined> {
  let valid = new Map<string, CachedKey>();
  let rejected = new Set<string>(); // a separate cache, so that invalid tokens cannot evict valid ones
  let version: string | undefined;
  const lookUp = lookUpIn(db);

  const addToCache = (token: string, cached: CachedKey | undefined): void => {
    const cache = cached === undefined ? rejected : valid;
    if (cache.size >= maxCachedKeys) cache.delete(cache.keys().next().value!); // the oldest
    if (cached === undefined) rejected.add(token);
    else valid.set(token, cached);
  };

  /** Records the use of a key and its caller. Returns undefined for an unknown or expired key. */
  const grant = (cached: CachedKey | undefined, { res }: Request): Authenticated | undefined => {
    if (cached === undefined || cached.endsAt <= Date.now()) return undefined;
    uses.record(cached.caller.id);
    (res!.locals as RequestState).caller = cached.caller;
    return cached;
  };

  return (token, request) => {
    const current = (request.res!.locals as RequestState).credentialsVersion;
    if (current !== version) [valid, rejected, version] = [new Map(), new Set(), current];
    const known = valid.get(token);
    if (known !== undefined) return grant(known, request);
    const hash = rejected.has(token) ? undefined : hashIn(environment, token);
    if (hash === undefined) return undefined; // a malformed token is not cached: it may be long, and needs no query
    return lookUp(hash).then((cached) => {
      if (current !== undefined && current === version) addToCache(token, cached);
      return grant(cached, request);
    });
  };
}

/** Returns a function that looks up a key by its hash, including expired keys, because the clock may be set back. */
function lookUpIn(db: Kysely<ApiKeysTables>): (hash: string) => Promise<CachedKey | undefined> {
  const find = isPostgres(db) ? findTogether(db) : (hash: string) => findUnrevokedKey(db, hash);
  return async (hash) => {
    try {
      return cachedKeyOf(await find(hash));
    } catch (cause) {
      throw new DatabaseError("The API key of a request could not be looked up.", { cause });
    }
  };
}

/** Looks up the keys of all requests of one turn of the event loop in one query, which begins after the last of them. */
function findTogether(db: Kysely<ApiKeysTables>): (hash: string) => Promise<ValidApiKey | undefined> {
  let turn: { hashes: Set<string>; found: Promise<Map<string, ValidApiKey>> } | undefined;
  const findAll = async (hashes: Set<string>): Promise<Map<string, ValidApiKey>> => {
    await immediate();
    turn = undefined;
    return findUnrevokedKeys(db, [...hashes]);
  };
  return async (hash) => {
    if (turn === undefined) {
      const hashes = new Set<string>();
      turn = { hashes, found: findAll(hashes) };
    }
    turn.hashes.add(hash);
    return (await turn.found).get(hash);
  };
}

function cachedKeyOf(apiKey: ValidApiKey | undefined): CachedKey | undefined {
  if (apiKey === undefined) return undefined;
  const { id, name, scopes, expiresAt } = apiKey;
  return { caller: { id, name }, ...(scopes.includes(EVERY_SCOPE) ? {} : { scopes }), endsAt: expiresAt ?? Infinity };
}

/** The delay before uses are saved to the database, in milliseconds. */
const SAVE_AFTER_MS = 3_000;
/** The maximum number of keys in one statement. Each key takes two parameters, and SQLite allows 32,766. */
const MAX_KEYS_PER_SAVE = 1_000;

/** A buffer for the last use of each key. */
export interface KeyUses {
  /** Records in memory that a key is used now. Never waits and never fails. */
  record: (apiKeyId: number) => void;
  /** Saves the recorded uses and stops recording. Uses that cannot be saved are lost and logged. */
  close: () => Promise<void>;
}

/** Returns a buffer that saves uses in the background. Uses that cannot be saved are retried with later uses. */
export function keyUses(write: Storage<ApiKeysTables>["write"], logger: Logger, saveAfterMs = SAVE_AFTER_MS): KeyUses {
  const unsaved = new Map<number, number>();
  let timer: NodeJS.Timeout | undefined;
  let saving = Promise.resolve();
  let isClosed = false;
  let isFailing = false; // a failure is logged once, until a save succeeds

  const save = async (): Promise<void> => {
    const uses = new Map([...unsaved].slice(0, MAX_KEYS_PER_SAVE));
    try {
      await write((trx) => saveKeyUses(trx, uses));
    } catch (error) {
      const details = isDatabaseUnavailable(error) ? { reason: (error as Error).message } : { err: error };
      if (!isFailing) logger.warn(details, "the last uses of API keys could not be saved");
      isFailing = true;
      return;
    }
    isFailing = false;
    for (const [id, at] of uses) if (unsaved.get(id) === at) unsaved.delete(id);
  };

  const saveLater = (): void => {
    timer ??= setTimeout(() => {
      saving = save().then(() => {
        timer = undefined;
        if (unsaved.size > 0 && !isClosed) saveLater();
      });
    }, saveAfterMs).unref();
  };

  return {
    record: (apiKeyId) => {
      if (isClosed) return;
      unsaved.set(apiKeyId, Date.now());
      saveLater();
    },
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await saving;
      for (let previousSize = Infinity; unsaved.size > 0 && unsaved.size < previousSize;) {
        previousSize = unsaved.size;
        await save();
      }
    },
  };
}
