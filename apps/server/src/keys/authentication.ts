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

/** Few enough to take a few MiB, more than are in use at a time. */
const VERDICTS_KEPT = 10_000;

/**
 * Judges a token by the database as it is when the request has arrived, so that revocation and expiry hold from the next
 * one on: a key found valid counts as such until anything is committed or it expires, or until it is the oldest of more
 * than `kept`. Undefined for a key that gives no entry. Throws `DatabaseError` when it cannot be looked up, whatever the reason.
 */
export function authentication(
  db: Database,
  uses: KeyUses,
  versionOf: DataVersion,
  kept = VERDICTS_KEPT,
): (token: string, request: Request) => Authenticated | undefined | Promise<Authenticated | undefined> {
  const valid = new Map<string, Authenticated & { expiresAt: number | null }>();
  let validAt: number | undefined;

  /** Whether what is kept is of the version that the request is answered from; if not, it is forgotten. */
  const isCurrent = (request: Request): boolean => {
    const version = versionOf(request);
    if (version !== validAt) valid.clear();
    const wasCurrent = version === validAt;
    validAt = version;
    return wasCurrent && version !== undefined;
  };

  const lookUp = async (token: string, request: Request): Promise<Authenticated | undefined> => {
    const before = validAt;
    const apiKey = await findApiKey(db, token, Date.now()).catch((cause: unknown) => {
      throw new DatabaseError("The API key of a request could not be looked up.", { cause });
    });
    if (apiKey === undefined) return undefined; // and the version, which is a query too, is not asked for
    uses.record(apiKey.id);
    const { id, name, scopes, expiresAt } = apiKey;
    const verdict = { caller: { id, name }, scopes, expiresAt };
    if (!isCurrent(request) || validAt !== before) return verdict;
    if (valid.size >= kept) valid.delete(valid.keys().next().value!); // the oldest
    valid.set(token, verdict);
    return verdict;
  };

  return (token, request) => {
    const known = valid.get(token);
    if (known === undefined || !isCurrent(request)) return lookUp(token, request);
    if (known.expiresAt !== null && known.expiresAt <= Date.now()) return lookUp(token, request);
    uses.record(known.caller.id);
    return known;
  };
}
