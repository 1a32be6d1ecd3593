import { type DestinationStream, type Logger, pino } from "pino";
import type { ServiceConfig } from "../settings.ts";

/**
 * The paths that the logger redacts. Requests are logged without headers; the paths matter if a request object is logged by
 * mistake.
 */
const SECRETS = ["authorization", "headers.authorization", "*.authorization", "*.headers.authorization"];

/** Returns a logger of JSON lines, which redacts credentials. It writes to standard output by default. */
export function createLogger(level: ServiceConfig["logLevel"], to: DestinationStream = inBatches()): Logger {
  return pino({ level, redact: SECRETS }, to);
}

/** How long a line may wait for its batch, in milliseconds. */
const BATCH_MS = 10;

/** How many bytes may wait for a reader of the log that is behind: about 10,000 lines. */
const MOST_WAITING = 4 * 2 ** 20;

interface ByteStream {
  write: (bytes: Buffer) => unknown;
  writableLength?: number;
}

/**
 * Returns a stream that writes lines in batches, since a write costs more than formatting a line. The last batch is written when
 * the process exits. Where the reader of the log is too far behind, lines are dropped, so that the service goes on and its memory
 * is bounded; the next batch says how many. pino's own stream is not used, since it retries for ever at exit if the disk is full.
 */
export function inBatches(out: ByteStream = process.stdout): DestinationStream {
  let lines = "";
  let dropped = 0;
  const flush = (): void => {
    if (dropped > 0)
      lines += `{"level":40,"time":${Date.now()},"pid":${process.pid},"dropped":${dropped},"msg":"${BEHIND}"}\n`;
    if (lines !== "") out.write(Buffer.from(lines)); // V8 would keep a text that waits until a full collection
    lines = "";
    dropped = 0;
  };
  process.once("exit", flush);
  return {
    write: (line) => {
      if (lines.length + (out.writableLength ?? 0) > MOST_WAITING) {
        dropped++;
        return;
      }
      if (lines === "") setTimeout(flush, BATCH_MS);
      lines += line;
    },
  };
}

const BEHIND = "lines of the log were dropped, because its reader is too slow";

/** Parses a `traceparent` header (W3C Trace Context, section 3.2). Returns undefined if it is malformed or missing. */
export function parseTraceparent(header: unknown) {
  if (typeof header !== "string") return undefined;
  const [, version, traceId = "", spanId = "", flags = "", rest = ""] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(header) ?? [];
  const isKnown = version === "00" ? rest === "" : version !== undefined && version !== "ff";
  if (!isKnown || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}
