import { setTimeout } from "node:timers/promises";
import type { RequestHandler } from "express";
import { Problem } from "express-operations";
import type { Logger } from "pino";
import { FileMovedError } from "./database/sqlite.errors.ts";
import { ERRORS } from "./errors.ts";
import { describe } from "./observability/request-log.ts";
import type { Storage } from "./database/storage.ts";

/** How long the database may take to answer before the service counts as not ready. */
const DEADLINE_MS = 1_000;

/** Tells whoever sends requests whether to send more: 200, or 503 and why, in words that show nothing of this machine. */
export function readiness({
  storage,
  logger,
  isStopping,
}: {
  storage: Storage;
  logger: Logger;
  isStopping: () => boolean;
}): RequestHandler {
  return async (request, response) => {
    if (isStopping()) throw notReady("The service is stopping.");
    const failure = await failureOf(storage);
    if (failure !== undefined) {
      logger.warn({ err: failure, req: describe(request, response) }, "not ready");
      throw notReady(
        failure instanceof FileMovedError
          ? "The database file or its log was moved, removed or replaced."
          : "The database does not answer.",
      );
    }
    response.json({ status: "ok" });
  };
}

function notReady(message: string): Problem {
  return new Problem(ERRORS.unavailable.status, "unavailable", message);
}

/** Reads a table, since `select 1` would not touch the file. */
async function failureOf({ db, expectInPlace }: Storage): Promise<unknown> {
  const stop = new AbortController();
  const query = db.selectFrom("pets").select("id").limit(1).execute();
  const failure = new Error(`no answer in ${DEADLINE_MS} ms`);
  const late = setTimeout(DEADLINE_MS, failure, { signal: stop.signal });
  try {
    expectInPlace();
    return await Promise.race([query.then(() => undefined), late]);
  } catch (error) {
    return error;
  } finally {
    stop.abort();
    late.catch(() => {});
    query.catch(() => {});
  }
}
