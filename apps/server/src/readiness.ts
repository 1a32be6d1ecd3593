import { setTimeout } from "node:timers/promises";
import type { RequestHandler } from "express";
import { Problem } from "express-operations";
import { FileMovedError } from "./database/sqlite.errors.ts";
import { ERRORS } from "./errors.ts";
import type { ReportOutage } from "./observability/outage.ts";
import { describe } from "./observability/request-log.ts";
import type { Storage } from "./database/storage.ts";

/** How long the database may take to answer before the service counts as not ready. */
const DEADLINE_MS = 1_000;

const NO_ANSWER = "The database does not answer.";

/**
 * Tells whoever sends requests whether to send more: 200, or 503 and why, in words that show nothing of this machine. Not
 * ready is a service whose database cannot be read, or not written since a write failed.
 */
export function readiness({
  storage,
  reportOutage,
  isStopping,
}: {
  storage: Storage;
  reportOutage: ReportOutage;
  isStopping: () => boolean;
}): RequestHandler {
  return async (request, response) => {
    if (isStopping()) throw notReady("The service is stopping.");
    const failure = await failureOf(storage);
    if (failure !== undefined) {
      reportOutage(failure.error, describe(request, response));
      throw notReady(failure.message);
    }
    response.json({ status: "ok" });
  };
}

function notReady(message: string): Problem {
  return new Problem(ERRORS.unavailable.status, "unavailable", message);
}

/** What keeps the database from being used, and how that may be said to everybody; undefined when nothing does. */
export async function failureOf(storage: Storage): Promise<{ error: unknown; message: string } | undefined> {
  const stop = new AbortController();
  const failure = new Error(`no answer in ${DEADLINE_MS} ms`);
  const late = setTimeout(DEADLINE_MS, failure, { signal: stop.signal });
  late.catch(() => {});
  try {
    return await Promise.race([examine(storage), late.then((error) => ({ error, message: NO_ANSWER }))]);
  } finally {
    stop.abort();
  }
}

/** Reads a table, since `select 1` would not touch the file. */
async function examine({ db, expectInPlace, expectWritable }: Storage): ReturnType<typeof failureOf> {
  let message = NO_ANSWER;
  try {
    expectInPlace();
    await db.selectFrom("pets").select("id").limit(1).execute();
    message = "The database cannot be written.";
    await expectWritable();
    return undefined;
  } catch (error) {
    if (error instanceof FileMovedError) message = "The database file or its log was moved, removed or replaced.";
    return { error, message };
  }
}
