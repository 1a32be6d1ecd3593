import type { Request } from "express";
import type { Grant } from "express-operations";
import type { DataVersion } from "../database/data-version.ts";
import { DatabaseError } from "../database/database.errors.ts";
import type { Database } from "../database/database.ts";
import type { KeyUses } from "./key-uses.ts";
import { type ApiKey, findApiKey } from "./keys.repository.ts";

/** Who sent a request, and what they may do. */
export interface Authenticated extends Grant<Pick<ApiKey, "id" | "name">> {
  scopes: ApiKey["scopes"];
}

type Verdict = Authenticated & { expiresAt: number | null };

/** Few enough to take a few MiB, more than are in use at a time. */
const VERDICTS_KEPT = 10_000;

/**
 * Judges a token by the database as it is when the request has arrived, so that revocation and expiry hold from the next
 * one on: a key found valid counts as such until anything is committed or it expires, or until it is the oldest of more
 * than `kept`; requests of one version that ask for the same key look it up once. Undefined for a key that gives no entry.
 * Throws `DatabaseError` when it cannot be looked up, whatever the reason.
 */
export function authentication(
  db: Database,
  uses: KeyUses,
  versionOf: DataVersion,
  kept = VERDICTS_KEPT,
): (token: string, request: Request) => Authenticated | undefined | Promise<Authenticated | undefined> {
  let valid = new Map<string, Verdict>();
  let lookups = new Map<string, Promise<Verdict | undefined>>();
  let validAt: number | undefined;

  const lookUp = async (token: string): Promise<Verdict | undefined> => {
    const apiKey = await findApiKey(db, token, Date.now()).catch((cause: unknown) => {
      throw new DatabaseError("The API key of a request could not be looked up.", { cause });
    });
    if (apiKey === undefined) return undefined;
    uses.record(apiKey.id);
    const { id, name, scopes, expiresAt } = apiKey;
    return { caller: { id, name }, scopes, expiresAt };
  };

  /** Looks a key up for all who ask for it meanwhile, and keeps what was found unless another version has come since. */
  const lookUpOnce = (token: string): Promise<Verdict | undefined> => {
    const [validNow, lookupsNow] = [valid, lookups];
    const lookup = lookUp(token);
    lookups.set(token, lookup);
    const done = (verdict?: Verdict): void => {
      lookupsNow.delete(token);
      if (verdict === undefined) return;
      if (validNow.size >= kept) validNow.delete(validNow.keys().next().value!); // the oldest
      validNow.set(token, verdict);
    };
    lookup.then(done, () => done());
    return lookup;
  };

  return (token, request) => {
    const version = versionOf(request);
    if (version === undefined) return lookUp(token);
    if (version !== validAt) [valid, lookups, validAt] = [new Map(), new Map(), version];
    const known = valid.get(token);
    if (known === undefined || (known.expiresAt !== null && known.expiresAt <= Date.now()))
      return lookups.get(token) ?? lookUpOnce(token);
    uses.record(known.caller.id);
    return known;
  };
}
