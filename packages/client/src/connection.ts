import createClient from "openapi-fetch";
import { type Deprecation, type Limits, limits, type PetstoreOptions, type Retry } from "./options.ts";
import type { Answer } from "./outcome.ts";

/** A service and how to call it: what every call starts from. */
export interface Connection {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly limits: Limits;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly onRetry: ((retry: Retry) => void) | undefined;
  readonly onDeprecated: ((deprecation: Deprecation) => void) | false | undefined;
  /** The operationIds whose deprecation has been told. */
  readonly told: Set<string>;
  /** openapi-fetch's `request`, which makes and reads a message; its own types ask for more than is known here. */
  readonly request: (method: string, path: string, init: object) => Promise<Answer>;
}

/** Throws a TypeError for options that cannot work, and never shows the key in it. */
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
    // Followed, a redirect would turn POST into GET or lead elsewhere. Seen, it is an answer that says what is wrong.
    redirect: "manual",
  });
  return {
    baseUrl: address,
    limits: limits(options),
    fetch,
    onRetry,
    onDeprecated,
    told: new Set(),
    request: request as unknown as Connection["request"],
  };
}
