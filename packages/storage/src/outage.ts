import { setTimeout } from "node:timers/promises";
import type { Logger } from "pino";

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
