import { type Fetch, sendBy } from "../fetch.ts";
import type { ClientOptions, ResponseEvent, Retry } from "../options.ts";

/** A logger, such as `console` or pino. */
export interface Logger {
  debug: (message: string) => void;
  info: (message: string) => void;
  warn: (message: string) => void;
}

/** The least important messages that are logged: `debug` has each response, `info` failed ones and retries, `warn` retries only. */
export type LogLevel = "debug" | "info" | "warn" | "off";

const LEVELS: LogLevel[] = ["debug", "info", "warn", "off"];

/**
 * Returns options that log each response and retry, without credentials, headers and bodies. Without a level, the environment
 * variable decides, such as `PETSTORE_LOG=debug`; without both, nothing is logged.
 */
export function logTo(
  logger: Logger,
  { level, variable = "" }: { level?: LogLevel | undefined; variable?: string } = {},
): Pick<ClientOptions, "onResponse" | "onRetry"> {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const given = level ?? process?.env?.[variable] ?? "off";
  const from = LEVELS.indexOf(given as LogLevel);
  if (from === -1) throw new TypeError(`The log level is ${JSON.stringify(given)}. Set debug, info, warn or off.`);
  const write = (of: Exclude<LogLevel, "off">, message: string) => {
    if (LEVELS.indexOf(of) >= from) logger[of](message);
  };
  return {
    onResponse: ({ operationId, attempt, method, url, duration, response: { status } }: ResponseEvent) => {
      const path = url.split("?", 1)[0]!;
      write(
        status < 400 ? "debug" : "info",
        `${operationId && `${operationId} `}${method} ${path} ${status} ${Math.round(duration)} ms (attempt ${attempt})`,
      );
    },
    onRetry: ({ operationId, attempt, delay, code }: Retry) => {
      write("warn", `${operationId} ${code}: attempt ${attempt + 1} in ${Math.round(delay)} ms`);
    },
  };
}

/** Returns a `fetch` that logs each response, without credentials, headers and bodies. The levels are those of `logTo`. */
export function logRequests(fetch: Fetch, logger: Logger, options?: Parameters<typeof logTo>[1]): Fetch {
  const { onResponse } = logTo(logger, options);
  return async (request, init) => {
    const start = performance.now();
    const response = await sendBy(fetch, request, init);
    const { method, url } = request;
    await onResponse!({ operationId: "", attempt: 1, method, url, duration: performance.now() - start, response });
    return response;
  };
}
