import createClient from "openapi-fetch";
import { type Deprecation, type Limits, limits, type PetstoreOptions, type Retry } from "./options.ts";
import type { ParsedResponse } from "./untyped-result.ts";

/** A service's address and the settings of its calls. */
export interface Connection {
  /** The URL without a slash at its end. */
  readonly baseUrl: string;
  readonly limits: Limits;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly onRetry: ((retry: Retry) => void) | undefined;
  readonly onDeprecated: ((deprecation: Deprecation) => void) | false | undefined;
  /** The operationIds whose deprecation has been reported. */
  readonly reported: Set<string>;
  /** openapi-fetch's `request`. Its own types need the path as a literal, which is not known here. */
  readonly request: (method: string, path: string, init: object) => Promise<ParsedResponse>;
}

/**
 * Checks the options and returns a connection. Throws a TypeError for an invalid option; its message never contains the
 * key.
 */
export function connect(options: PetstoreOptions): Connection {
  const { baseUrl, apiKey, fetch = (request) => globalThis.fetch(request), onRetry, onDeprecated } = options;
  const address = String(baseUrl).replace(/\/+$/, "");
  if (!/^https?:\/\/[^?#@]+$/i.test(address) || !URL.canParse(address))
    throw new TypeError("baseUrl is not a service URL. Pass one such as https://api.petstore.example/v1.");
  if (typeof apiKey !== "string" || !/^[\x21-\x7e]+$/.test(apiKey))
    throw new TypeError("apiKey is not an API key. Pass it as issued, without spaces or line breaks.");
  const { request } = createClient({
    baseUrl: address,
    headers: { Authorization: `Bearer ${apiKey}` },
    // Following a redirect could change POST into GET or leave the origin. The call reports it as `unreadable_answer` instead.
    redirect: "manual",
  });
  return {
    baseUrl: address,
    limits: limits(options),
    fetch,
    onRetry,
    onDeprecated,
    reported: new Set(),
    request: request as unknown as Connection["request"],
  };
}
