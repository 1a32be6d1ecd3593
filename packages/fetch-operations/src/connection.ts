import createOpenapiClient from "openapi-fetch";
import type { Api } from "./api.ts";
import { RetryBudget } from "./call/retry-budget.ts";
import {
  type ClientOptions,
  type FetchLike,
  type Limits,
  limits,
  mustBeAtLeastZero,
  rejectUnknown,
} from "./options.ts";
import type { Credentials } from "./security/credentials.ts";
import { isKey } from "./security/schemes.ts";
import { userAgentOf } from "./user-agent.ts";

/** A service's address and the settings of its calls. */
export interface Connection {
  readonly api: Api;
  /** The URL without a slash at its end. */
  readonly baseUrl: string;
  readonly options: ClientOptions;
  readonly limits: Limits;
  readonly maxResponseBytes: number;
  readonly budget: RetryBudget;
  readonly fetch: FetchLike;
  readonly headers: Readonly<Record<string, string>>;
  /** The operationIds whose deprecation has been reported. */
  readonly reported: Set<string>;
  /** Returns the credentials. They are not a field, so that inspection does not show them. */
  readonly credentials: () => Credentials;
  /** openapi-fetch's `request`. Its own types need the path as a literal, which is not known here. */
  readonly request: (method: string, path: string, init: object) => Promise<ParsedResponse>;
}

/** A response as openapi-fetch reads it. `error` is a string for a body that is not JSON. */
export interface ParsedResponse {
  data?: unknown;
  error?: unknown;
  response: Response;
}

/** A request as openapi-fetch builds it. The client's `fetch` gets its URL and options, so that any implementation of it works. */
export class BuiltRequest {
  readonly url: string;
  readonly init: RequestInit;
  readonly method: string;
  constructor(url: string, init: RequestInit) {
    this.url = url;
    this.init = init;
    this.method = init.method!;
  }
}

const OPTIONS = [
  "baseUrl",
  "credentials",
  "fetch",
  "fetchOptions",
  "headers",
  "maxResponseBytes",
  "retryBudget",
  "userAgent",
  "onRequest",
  "onResponse",
  "onRetry",
  "onDeprecated",
  "timeout",
  "attemptTimeout",
  "retry",
] as const satisfies (keyof ClientOptions)[];

/**
 * Checks the options and returns a connection. Throws a TypeError for an invalid option; its message never contains a
 * credential.
 */
export function connectTo(api: Api, options: ClientOptions): Connection {
  const { credentials: _, ...visible } = options;
  const {
    baseUrl,
    fetch,
    fetchOptions,
    headers,
    maxResponseBytes = 104_857_600,
    retryBudget = 100,
    userAgent,
  } = options;
  const address = String(baseUrl).replace(/\/+$/, "");
  if (!/^https?:\/\/[^?#@]+$/i.test(address) || !URL.canParse(address))
    throw new TypeError("baseUrl is not a service URL. Pass one such as https://api.petstore.example/v1.");
  const given = credentialsOf(api, options);
  checkTypes(api, options);
  mustBeAtLeastZero("maxResponseBytes", maxResponseBytes);
  mustBeAtLeastZero("retryBudget", retryBudget);
  const { request } = createOpenapiClient({
    ...fetchOptions,
    baseUrl: address,
    // Following a redirect could change POST into GET or leave the origin. The call reports it as `unreadable_answer` instead.
    redirect: "manual",
    Request: BuiltRequest as never,
    bodySerializer: (body: unknown) => body, // The writer of the body has serialized it.
  });
  const agent = userAgent === undefined ? userAgentOf(api) : userAgent || undefined;
  return {
    api,
    baseUrl: address,
    options: visible,
    limits: limits(options),
    maxResponseBytes,
    budget: new RetryBudget(retryBudget),
    fetch: fetch ?? ((input, init) => globalThis.fetch(input, init)),
    headers: { ...(agent !== undefined && { "User-Agent": agent }), ...headers },
    reported: new Set(),
    credentials: () => given,
    request: request as unknown as Connection["request"],
  };
}

function checkTypes({ schemes }: Api, options: ClientOptions): void {
  const known = [...OPTIONS, ...Object.values(schemes).flatMap(({ option = [] }) => option)];
  rejectUnknown(
    Object.fromEntries(Object.entries(options).filter(([name]) => !known.includes(name as "fetch"))),
    known,
  );
  for (const name of ["fetch", "onRequest", "onResponse", "onRetry", "onDeprecated"] as const) {
    const value: unknown = options[name];
    if (value !== undefined && typeof value !== "function" && !(name === "onDeprecated" && value === false))
      throw new TypeError(`${name} must be a function.`);
  }
}

/** Returns the credentials by scheme. */
function credentialsOf({ schemes }: Api, { credentials = {}, ...options }: ClientOptions): Credentials {
  rejectUnknown(
    Object.fromEntries(Object.entries(credentials).filter(([name]) => !Object.hasOwn(schemes, name))),
    schemes,
    "credentials.",
  );
  const found: Record<string, Credentials[string]> = {};
  for (const [name, { option }] of Object.entries(schemes)) {
    const credential = option === undefined ? credentials[name] : (options as unknown as Credentials)[option];
    const isInvalid =
      typeof credential === "string" ? !isKey(credential) : typeof credential !== "function" && !isBasic(credential);
    if (option === undefined && credential === undefined) continue;
    if (isInvalid) {
      const place = option ?? `credentials.${name}`;
      throw new TypeError(`${place} is not an API key. Pass it as issued, without spaces or line breaks.`);
    }
    found[name] = credential;
  }
  return found;
}

function isBasic(value: unknown): boolean {
  const { username, password } = (value ?? {}) as Record<string, unknown>;
  return typeof username === "string" && typeof password === "string";
}
