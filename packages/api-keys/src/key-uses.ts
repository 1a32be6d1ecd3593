import { isDatabaseUnavailable } from "@platform/storage/database-error";
import type { Storage } from "@platform/storage/storage";
import type { Logger } from "pino";
import { saveKeyUses } from "./keys.repository.ts";
import type { ApiKeysTables } from "./keys.table.ts";

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
