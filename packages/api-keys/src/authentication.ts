import { stateOf } from "@platform/service/request-state";
import { DatabaseError, isDatabaseUnavailable } from "@platform/storage/database-error";
import type { Storage } from "@platform/storage/storage";
import type { Request } from "express";
import type { Grant } from "express-operations";
import type { Kysely } from "kysely";
import type { Logger } from "pino";
import { isWellFormedApiKey } from "./api-key.ts";
import { type ApiKey, EVERY_SCOPE, findApiKey, saveKeyUses, type ValidApiKey } from "./keys.repository.ts";
import type { ApiKeysTables } from "./keys.table.ts";

/** Who sent a request, and what they may do. */
export type Authenticated = Grant<Pick<ApiKey, "id" | "name">>;

/** `endsAt` is in milliseconds since 1970, and Infinity for a key that never ends. */
type CachedKey = Authenticated & { endsAt: number };

/** Few enough to take a few MiB, more than are in use at a time. */
const MAX_CACHED_KEYS = 10_000;

/**
 * Judges a token by the database as it is when the request has arrived, so that revocation and expiry hold from the next
 * one on: that a key is known, or unknown, counts until anything is committed, or until it is the oldest of more than `kept`
 * such. Whether it has expired is judged at each request by the clock, which may also be set back. Undefined for a key that
 * gives no entry. Throws `DatabaseError` when it cannot be looked up, whatever the reason.
 */
export function authentication(
  db: Kysely<ApiKeysTables>,
  uses: KeyUses,
  kept = MAX_CACHED_KEYS,
): (token: string, request: Request) => Authenticated | undefined | Promise<Authenticated | undefined> {
  let valid = new Map<string, CachedKey>();
  let refused = new Set<string>(); // apart, as anybody can make up keys, and they must not take the place of valid ones
  let version: number | undefined;

  const keep = (token: string, cached: CachedKey | undefined): void => {
    if (cached === undefined && !isWellFormedApiKey(token)) return; // it may be long, and is refused without a look-up
    const alike = cached === undefined ? refused : valid;
    if (alike.size >= kept) alike.delete(alike.keys().next().value!); // the oldest
    if (cached === undefined) refused.add(token);
    else valid.set(token, cached);
  };

  /** Counts a use of the key, if it is one, and leaves whose it is in the state of the request. */
  const grant = (cached: CachedKey | undefined, { res }: Request): Authenticated | undefined => {
    if (cached === undefined || cached.endsAt <= Date.now()) return undefined;
    uses.record(cached.caller.id);
    stateOf(res!).caller = cached.caller;
    return cached;
  };

  return (token, request) => {
    const current = stateOf(request.res!).dataVersion;
    if (current !== version) [valid, refused, version] = [new Map(), new Set(), current];
    const known = valid.get(token);
    if (known !== undefined) return grant(known, request);
    if (refused.has(token)) return undefined;
    return lookUp(db, token).then((cached) => {
      if (current !== undefined && current === version) keep(token, cached);
      return grant(cached, request);
    });
  };
}

async function lookUp(db: Kysely<ApiKeysTables>, token: string): Promise<CachedKey | undefined> {
  try {
    return cachedKeyOf(await findApiKey(db, token)); // also one that is expired now, as the clock may be set back
  } catch (cause) {
    throw new DatabaseError("The API key of a request could not be looked up.", { cause });
  }
}

function cachedKeyOf(apiKey: ValidApiKey | undefined): CachedKey | undefined {
  if (apiKey === undefined) return undefined;
  const { id, name, scopes, expiresAt } = apiKey;
  return { caller: { id, name }, ...(scopes.includes(EVERY_SCOPE) ? {} : { scopes }), endsAt: expiresAt ?? Infinity };
}

/** How long a use may be known to this process alone. */
const SAVE_AFTER_MS = 3_000;
/** Few enough for one statement: SQLite allows 32,766 parameters, two to a key. */
const SAVED_AT_ONCE = 1_000;

/** When keys were last used, as far as this process knows and the database does not. */
export interface KeyUses {
  /** Notes that a key is used now. It costs an entry in memory; it never waits and never fails. */
  record: (apiKeyId: number) => void;
  /** Saves what is noted, and notes no more. Uses that cannot be saved are lost, which is logged. */
  close: () => Promise<void>;
}

/** Collects the uses of keys and saves them off the path of requests; those that cannot be saved are kept for the next time. */
export function keyUses(write: Storage<ApiKeysTables>["write"], logger: Logger, saveAfterMs = SAVE_AFTER_MS): KeyUses {
  const unsaved = new Map<number, number>();
  let timer: NodeJS.Timeout | undefined;
  let saving = Promise.resolve();
  let isClosed = false;
  let isFailing = false; // which is logged once, until it is over

  const save = async (): Promise<void> => {
    const uses = new Map([...unsaved].slice(0, SAVED_AT_ONCE));
    try {
      await write((trx) => saveKeyUses(trx, uses));
    } catch (error) {
      const facts = isDatabaseUnavailable(error) ? { reason: (error as Error).message } : { err: error };
      if (!isFailing) logger.warn(facts, "when keys were last used could not be saved");
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
      for (let before = Infinity; unsaved.size > 0 && unsaved.size < before;) {
        before = unsaved.size;
        await save();
      }
    },
  };
}
