import { DatabaseError } from "../database.errors.ts";
import type { Database } from "../database.ts";
import type { KeyUses } from "./key-uses.ts";
import { type ApiKey, findApiKey } from "./keys.repository.ts";

/** Who sent a request, and what they may do. */
export interface Authenticated {
  caller: Pick<ApiKey, "id" | "name">;
  scopes: ApiKey["scopes"];
}

/**
 * Looks a token up in the database anew for each request, so that revocation and expiry hold from the next one on;
 * undefined for a key that gives no entry. Throws `DatabaseError` when it cannot be looked up, whatever the reason.
 */
export function authentication(db: Database, uses: KeyUses): (token: string) => Promise<Authenticated | undefined> {
  return async (token) => {
    const apiKey = await findApiKey(db, token, Date.now()).catch((cause: unknown) => {
      throw new DatabaseError("The API key of a request could not be looked up.", { cause });
    });
    if (apiKey === undefined) return undefined;
    uses.record(apiKey.id);
    return { caller: apiKey, scopes: apiKey.scopes };
  };
}
