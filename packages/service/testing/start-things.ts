import type { Service } from "../src/life/serving.ts";
import { startService } from "../src/life/start-service.ts";
import { createLogger } from "../src/observability/request-log.ts";
import { type ThingsOptions, thingsService } from "./things.ts";

/** A line of the log, as far as tests look at it. */
export interface Line extends Record<string, unknown> {
  level: number;
  msg: string;
  req?: { id?: string; address?: string; claimed?: string[] };
}

/** A service of things at work in this process. */
export interface Things extends Service, AsyncDisposable {
  /** Requests a path below the base URL, with the token `good` unless told otherwise. */
  request: (path: string, init?: RequestInit & { token?: string | null }) => Promise<Response>;
  /** What has been logged. */
  lines: () => Line[];
}

/** Starts the service on a free port. */
export async function startThings(options: ThingsOptions = {}): Promise<Things> {
  const definition = thingsService(options);
  const written: string[] = [];
  const logger = createLogger(definition.config.logLevel, { write: (line) => void written.push(line) });
  const service = await startService(definition, logger);
  return {
    ...service,
    request: (path, { token = "good", ...init } = {}) => {
      const headers = new Headers(init.headers);
      if (token !== null && !headers.has("Authorization")) headers.set("Authorization", `Bearer ${token}`);
      return fetch(service.baseUrl + path, { ...init, headers });
    },
    [Symbol.asyncDispose]: () => service.close(),
    lines: () => written.map((line) => JSON.parse(line) as Line),
  };
}

/** A POST of a value as JSON. */
export function json(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(body) };
}
