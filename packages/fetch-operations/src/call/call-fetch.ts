import { type Fetch, programErrors } from "../fetch.ts";
import { keyOf } from "../operation.ts";
import {
  authenticate,
  type CredentialReason,
  type SchemeCredential,
  type Secret,
  TokenError,
} from "../parts/authentication.ts";
import { sizeLimit } from "../parts/size-limit.ts";
import { timeLimit } from "../parts/time-limit.ts";
import { essenceOf } from "../media-type.ts";
import type { Exchange } from "./exchange.ts";
import { unsendable } from "./call-failure.ts";

/** Messages of failed connections in the runtimes' `fetch`, which are TypeErrors without a cause. */
const CONNECTION =
  /fetch|network|load failed|connect|socket|terminated|sending request|host|cancelled|timed? ?out|refused|reset/i;

/**
 * Returns the `fetch` of one call, which openapi-fetch calls with its request: the parts of the connection around the `fetch` of the
 * options.
 */
export function fetchOf(exchange: Exchange): Fetch {
  const { connection, settings } = exchange;
  let fetch = authenticated(platformFetch(exchange), exchange);
  for (const { ofAttempt } of connection.parts) fetch = ofAttempt?.(fetch, exchange) ?? fetch;
  const whole = sizeLimit(fetch, settings.maxResponseBytes, (response) => isStream(exchange, response));
  const end = performance.now() + settings.timeout;
  fetch = timeLimit(whole, () => Math.min(settings.attemptTimeout, end - performance.now()));
  for (const { ofCall } of connection.parts) fetch = ofCall?.(fetch, exchange) ?? fetch;
  return async (request, init) => {
    exchange.url = request.url;
    const { signal } = exchange;
    try {
      // A middleware may have replaced the request, with another signal, and without the option of the client.
      return await fetch(request, {
        ...init,
        redirect: "manual",
        ...(signal && { signal: AbortSignal.any([signal, request.signal]) }),
      });
    } catch (error) {
      exchange.thrown ??= { error, isUsers: programErrors.has(error as object) };
      throw error;
    }
  };
}

/** Calls a function of the user. The call rejects with its error. */
export async function ofUser<Value>(exchange: Exchange, work: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    exchange.thrown = { error, isUsers: !(error instanceof TokenError) };
    throw error;
  }
}

/** Whether a success is left for its reader: the operation's media types that arrive in parts, or all of them. */
function isStream({ operation: { streams, success } }: Exchange, response: Response): boolean {
  if (!response.ok || streams === undefined || keyOf(success, response.status) === undefined) return false;
  return streams === true || streams.includes(essenceOf(response.headers.get("Content-Type")));
}

/** The `fetch` of the options, or the platform's at the time of the call. Rejects for what is no response. */
function platformFetch(exchange: Exchange): Fetch {
  const { fetchOptions, ...shared } = exchange.connection.options();
  const { fetch = shared.fetch } = exchange.options;
  return async (request, init) => {
    exchange.response = undefined;
    exchange.thrown = undefined;
    let response: Response;
    try {
      const all = { ...fetchOptions, ...init };
      // A function of the program may read the request alone.
      response = await (fetch ? fetch(new Request(request, all), all) : globalThis.fetch(request, all));
    } catch (error) {
      if (fetch !== undefined && isProgrammingError(error)) exchange.thrown = { error, isUsers: true };
      throw error;
    }
    if (typeof response?.status !== "number" || typeof response.headers?.get !== "function")
      return ofUser(exchange, () => {
        throw new TypeError("The fetch of the options did not return a Response.");
      });
    exchange.response = response;
    return response;
  };
}

/** Whether an error is one of the code of a custom `fetch`, and not a failed connection. */
function isProgrammingError(cause: unknown): boolean {
  const isOfCode = cause instanceof TypeError || cause instanceof ReferenceError;
  return isOfCode && cause.cause === undefined && !CONNECTION.test(cause.message);
}

/** Adds the credentials of the first requirement whose schemes all have one. Rejects if there is none. */
function authenticated(fetch: Fetch, exchange: Exchange): Fetch {
  const { api, connection, operation, secrets, isOnce = false } = exchange;
  const { id, security = api.security } = operation;
  if (security.length === 0) return fetch;
  const { credentials: own = {} } = exchange.options;
  const credentialOf = (name: string) => (Object.hasOwn(own, name) ? own[name] : connection.credential(name));
  const requirement = security.find((names) =>
    names.every((name) => credentialOf(name) !== undefined || api.schemes[name]?.isOfConnection),
  );
  if (requirement === undefined)
    throw unsendable(`${id} requires a credential of ${security.map((names) => names.join(" and ")).join(" or ")}.`);
  if (requirement.length === 0) return fetch;
  const credentials = requirement.map((name): SchemeCredential => {
    const scheme = api.schemes[name]!;
    const credential = credentialOf(name)!;
    const problem = Object.hasOwn(own, name) && typeof credential !== "function" && scheme.problemOf(credential);
    if (problem) throw unsendable(`credentials.${name} ${problem}`);
    if (typeof credential !== "function") return [scheme, credential];
    const ask = async (reason: CredentialReason): Promise<Secret> => {
      const secret = await credential(reason);
      const fault = scheme.problemOf(secret);
      if (fault) throw new TypeError(`The credential of ${name} ${fault}`);
      return secret;
    };
    return [scheme, (reason) => ofUser(exchange, () => ask(reason))];
  });
  const withCredentials = authenticate(fetch, credentials, { secrets, isOnce });
  // A middleware may have sent the request elsewhere.
  const isOwn = ({ url }: Request) => url.startsWith(exchange.baseUrl) || originOf(url) === originOf(exchange.baseUrl);
  return (request, init) => (isOwn(request) ? withCredentials : fetch)(request, init);
}

function originOf(url: string): string {
  return new URL(url).origin;
}
