import { statSync } from "node:fs";
import type { Finding } from "./examine-database.ts";

const MIB = 2 ** 20;
/** The size of a log that nothing moves into the file. Litestream moves it by 500 MB, even if writes have to wait. */
const TOO_LARGE = 1_024 * MIB;

/** Reports the size of the write-ahead log of a file whose log only another program moves into the file. */
export function examineLog(database: string): Finding {
  const bytes = statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const found = `${Math.ceil(bytes / MIB)} MiB that another program moves into the database`;
  if (bytes < TOO_LARGE) return { found };
  return { found, remedy: "See that this program, such as Litestream, runs. Otherwise the log fills the disk." };
}
