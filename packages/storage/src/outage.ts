import { setTimeout } from "node:timers/promises";
import type { Logger } from "pino";

/** How often it is looked whether an outage is over, in milliseconds. */
const CHECK_INTERVAL_MS = 10_000;

/** After how many looks with failures between them their number is logged. */
const CHECKS_PER_LINE = 6;

/**
 * Told of each failure of an outage of the database, and of the request that it failed, logs the outage as one error with its stack,
 * the failures as a number once a minute, and its end: when nothing has failed between two looks and `isOver` says so.
 */
export function outageLog(
  logger: Logger,
  isOver: () => Promise<boolean>,
  checkIntervalMs = CHECK_INTERVAL_MS,
): (error: unknown, req: object) => void {
  let failures = 0; // of the outage, 0 when there is none

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
