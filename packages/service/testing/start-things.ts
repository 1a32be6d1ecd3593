import type { Service } from "../src/life/serving.ts";
import { startService } from "../src/life/start-service.ts";
import { createLogger } from "../src/observability/request-log.ts";
import { type ThingsOptions, thingsService } from "./things.ts";

/** A log line, with the fields that tests read. */
export interface Line extends Record<string, unknown> {
  level: number;
  msg: string;
  req?: { id?: string; address?: string; claimed?: string[] };
}

/** A running service of things in this process. */
export interface Things extends Service, AsyncDisposable {
  /** Requests a path below the base URL. The token defaults to `good`; null sends none. */
  request: (path: string, init?: RequestInit & { token?: string | null }) => Promise<Response>;
  /** The lines logged until now. */
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

/** Returns the options of a POST with a JSON body. */
export function json(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(body) };
}
