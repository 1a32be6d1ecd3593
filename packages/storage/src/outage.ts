import { setTimeout } from "node:timers/promises";
import { sql } from "kysely";
import type { Logger } from "pino";
import { FileMovedError, isDatabaseUnavailable } from "./database-error.ts";
import type { Storage } from "./storage.ts";

/** The interval between checks whether an outage is over. */
const CHECK_INTERVAL_MS = 10_000;

/** The number of checks between two log lines about the same outage. */
const CHECKS_PER_LINE = 6;

/**
 * Returns a function to call with each error of the database and the failed request. The function logs the first error of
 * an outage with its stack, the number of failures once a minute, and the end. An outage ends when no request has failed
 * between two checks and `isOver` resolves with true.
 */
export function outageLog(
  logger: Logger,
  isOver: () => Promise<boolean>,
  checkIntervalMs = CHECK_INTERVAL_MS,
): (error: unknown, req: object) => void {
  let failures = 0; // in the current outage; 0 if there is none

  const watch = async (began: number): Promise<void> => {
    const fields = () => ({ failures, seconds: Math.round((performance.now() - began) / 1_000) });
    for (let checks = 1; ; checks++) {
      const before = failures;
      await setTimeout(checkIntervalMs, undefined, { ref: false });
      if (failures === before && (await isOver()) && failures === before) break;
      if (checks % CHECKS_PER_LINE === 0) logger.error(fields(), "the database still cannot be used");
    }
    logger.warn(fields(), "the database can be used again");
    failures = 0;
  };

  return (error, req) => {
    failures++;
    if (failures > 1) return;
    logger.error({ err: error, req }, "the database cannot be used");
    void watch(performance.now());
  };
}

/** How long the database may take to respond before it counts as unavailable. */
const DEADLINE_MS = 1_000;

const NO_RESPONSE = "The database does not respond.";

/** The reason why the database cannot be used. The message is safe for clients: it contains no path and no host. */
export interface Failure {
  error: unknown;
  message: string;
}

/**
 * Returns the reason why a table cannot be read or the database cannot be written, or undefined if both work. Writing is
 * tested only after a write has failed.
 */
export async function findDatabaseFailure(
  storage: Storage<any>,
  tables: readonly string[],
): Promise<Failure | undefined> {
  const failure = { error: new Error(`no response in ${DEADLINE_MS} ms`), message: NO_RESPONSE };
  return Promise.race([examine(storage, tables), setTimeout(DEADLINE_MS, failure, { ref: false })]);
}

/** Returns the health of a service's database: the failure that keeps it from serving, and what to do about failed requests. */
export function databaseHealth(storage: Storage<any>, tables: object, logger: Logger) {
  const findFailure = () => findDatabaseFailure(storage, Object.keys(tables));
  const logOutage = outageLog(logger, async () => (await findFailure()) === undefined);
  return { findFailure, outages: { isOutage: isDatabaseUnavailable, logOutage } };
}

/** Reads from the tables, because `select 1` does not read the file. */
async function examine(
  { db, expectFileAtPath, expectWritable }: Storage<any>,
  tables: readonly string[],
): Promise<Failure | undefined> {
  let message = NO_RESPONSE;
  try {
    expectFileAtPath();
    const reads = tables.map((table) => sql`exists (select 1 from ${sql.table(table)})`);
    await sql`select ${sql.join(reads)}`.execute(db);
    message = "The database cannot be written.";
    await expectWritable();
    return undefined;
  } catch (error) {
    if (error instanceof FileMovedError) message = "The database file or its log was moved, removed or replaced.";
    return { error, message };
  }
}
