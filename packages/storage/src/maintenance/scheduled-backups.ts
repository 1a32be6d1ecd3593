import { setTimeout } from "node:timers/promises";
import { DatabaseError } from "../database-error.ts";
import { newestBackup } from "./backup-folder.ts";

/** How soon a failed backup is tried again, in milliseconds, unless the next one is due earlier. */
const RETRY_MS = 60_000;

/** The longest delay of a timer, which is 24 days: https://nodejs.org/api/timers.html */
export const LONGEST_INTERVAL_MS = 24 * 86_400_000;

/** When backups are created. */
export interface Schedule {
  folder: string;
  intervalMs: number;
  /** How soon a failed backup is tried again, in milliseconds. Default: one minute. */
  retryMs?: number;
  /** Ends the schedule, after the backup under way. */
  signal: AbortSignal;
  onError: (error: DatabaseError) => void;
}

/**
 * Calls `make` at every interval until the signal. The first call comes at once, or an interval after the newest backup in
 * the folder. A failed call is repeated. The clock decides only about the first call, so that setting it delays no backup by
 * more than an interval.
 */
export async function makeBackupsEvery(
  { folder, intervalMs, retryMs = RETRY_MS, signal, onError }: Schedule,
  make: () => void,
): Promise<void> {
  const age = Date.now() - (newestBackup(folder, Date.now())?.time ?? -Infinity);
  let due = performance.now() + Math.max(0, intervalMs - age);
  while (await isReached(due, signal)) {
    const start = performance.now();
    try {
      make();
      due = start + intervalMs;
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      onError(error);
      due = performance.now() + Math.min(intervalMs, retryMs);
    }
  }
}

/** Waits for a time by `performance.now()`. Resolves with false once the signal ends the wait. */
async function isReached(due: number, signal: AbortSignal): Promise<boolean> {
  try {
    await setTimeout(Math.max(0, due - performance.now()), undefined, { signal });
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}
