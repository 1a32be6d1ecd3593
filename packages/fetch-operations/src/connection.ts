import createOpenapiClient from "openapi-fetch";
import type { Api } from "./api.ts";
import { type ClientOptions, type FetchLike, type Limits, limits, rejectUnknown } from "./options.ts";
import { type BasicCredential, type Credentials, isKey } from "./security/schemes.ts";
import { userAgentOf } from "./user-agent.ts";

/** A service's address and the settings of its calls. */
export interface Connection {
  readonly api: Api;
  /** The URL without a slash at its end. */
  readonly baseUrl: string;
  /** The functions among the options. */
  readonly options: Pick<ClientOptions, (typeof FUNCTIONS)[number]>;
  readonly limits: Limits;
  /** The retries that are left to all calls together, so that a failing service does not get a multiple of its load. */
  readonly budget: { left: number };
  readonly fetch: FetchLike;
  readonly headers: Readonly<Record<string, string>>;
  /** The operationIds whose deprecation has been reported. */
  readonly reported: Set<string>;
  /** Returns the credentials. They are not a field, so that inspection does not show them. */
  readonly credentials: () => Credentials;
  /** openapi-fetch's `request`. Its own types need the path as a literal, which is not known here. */
  readonly request: (method: string, path: string, init: object) => Promise<unknown>;
}

const FUNCTIONS = ["fetch", "onRequest", "onResponse", "onRetry", "onDeprecated"] as const;

const OPTIONS = ["baseUrl", "credentials", ...FUNCTIONS, "fetchOptions", "headers", "maxResponseBytes"].concat([
  "retryBudget",
  "userAgent",
  "timeout",
  "attemptTimeout",
  "retry",
]);

/**
 * Checks the options and returns a connection. Throws a TypeError for an invalid option; its message never contains a
 * credential.
 */
export function connectTo(api: Api, options: ClientOptions): Connection {
  const { baseUrl, fetch, fetchOptions, headers, userAgent } = options;
  const address = String(baseUrl).replace(/\/+$/, "");
  if (!/^https?:\/\/[^?#@]+$/i.test(address) || !URL.canParse(address))
    throw new TypeError("baseUrl is not a service URL. Pass one such as https://api.petstore.example/v1.");
  const { credentials, own } = credentialsOf(api, options);
  const checked = limits(options, [...OPTIONS, ...own]);
  const functions: Partial<ClientOptions> = {};
  for (const name of FUNCTIONS) {
    const value: unknown = (functions[name] = options[name] as never);
    if (value !== undefined && typeof value !== "function" && (value !== false || name !== "onDeprecated"))
      throw new TypeError(`${name} must be a function.`);
  }
  const { request } = createOpenapiClient({
    ...fetchOptions,
    baseUrl: address,
    // Following a redirect could change POST into GET or leave the origin. The call reports it as `unreadable_answer` instead.
    redirect: "manual",
    // The client's `fetch` gets the URL and the options, so that any implementation of it works.
    Request: function (url: string, init: RequestInit) {
      return { url, init };
    } as never,
    querySerializer: () => "", // The path has the query.
    bodySerializer: (body: unknown) => body, // The writer of the body has serialized it.
  });
  const agent = userAgent ?? userAgentOf(api);
  return {
    api,
    baseUrl: address,
    options: functions,
    limits: checked,
    budget: { left: checked.retryBudget },
    fetch: fetch ?? ((input, init) => globalThis.fetch(input, init)),
    headers: { ...(agent && { "User-Agent": agent }), ...headers },
    reported: new Set(),
    credentials: () => credentials,
    request: request as unknown as Connection["request"],
  };
}

/** Returns the credentials by scheme, and the names of the options that hold them. */
function credentialsOf({ schemes }: Api, options: ClientOptions): { credentials: Credentials; own: string[] } {
  const { credentials = {} } = options;
  rejectUnknown(credentials, Object.keys(schemes), "credentials.");
  const found: Record<string, Credentials[string]> = {};
  const own: string[] = [];
  for (const [name, { option }] of Object.entries(schemes)) {
    if (option !== undefined) own.push(option);
    const credential = option === undefined ? credentials[name] : (options as unknown as Credentials)[option];
    if (option === undefined && credential === undefined) continue;
    const { username, password } = Object(credential) as Partial<BasicCredential>;
    if (
      typeof credential !== "function" &&
      !isKey(credential) &&
      !(typeof username === "string" && typeof password === "string")
    )
      throw new TypeError(
        `${option ?? `credentials.${name}`} is not an API key. Pass it as issued, without spaces or line breaks.`,
      );
    found[name] = credential;
  }
  return { credentials: found, own };
}
