import { setTimeout } from "node:timers/promises";
import type { RequestHandler } from "express";
import type { Logger } from "pino";
import { problem } from "./errors.ts";
import { describe } from "./observability/request-log.ts";
import type { Storage } from "./database/storage.ts";

/** How long the database may take to answer before the service counts as not ready. */
const DEADLINE_MS = 1_000;

/** Tells whoever sends requests whether to send more: 200, or 503 while the service stops or its database does not answer. */
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
    if (isStopping()) throw problem("unavailable");
    const failure = await failureOf(storage);
    if (failure !== undefined) {
      logger.warn({ err: failure, req: describe(request, response) }, "the database does not answer");
      throw problem("unavailable");
    }
    response.json({ status: "ok" });
  };
}

/** Reads a table, since `select 1` would not touch the file. */
async function failureOf({ db }: Storage): Promise<unknown> {
  const stop = new AbortController();
  const query = db.selectFrom("pets").select("id").limit(1).execute();
  const late = setTimeout(DEADLINE_MS, new Error(`no answer in ${DEADLINE_MS} ms`), stop);
  try {
    return await Promise.race([query.then(() => undefined), late]);
  } catch (error) {
    return error;
  } finally {
    stop.abort();
    late.catch(() => {});
    query.catch(() => {});
  }
}
