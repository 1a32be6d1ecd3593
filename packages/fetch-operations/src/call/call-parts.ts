import { factsOf } from "../operation-error.ts";
import { type CallLimits, type Limits, numbersOf, rejectUnknown } from "../options.ts";
import { sendBy } from "../fetch.ts";
import { reportOnce, warnOf } from "../parts/deprecation.ts";
import { newKey } from "../parts/idempotency-key.ts";
import { isTransientByDefault, repeat, RETRY, RETRY_BUDGET, type RetriedFailure } from "../parts/retry.ts";
import { idleLimit } from "../parts/time-limit.ts";
import { ofUser } from "./call-fetch.ts";
import type { Connection, Exchange, Part } from "./exchange.ts";
import { errorResult, failureOf, valueOf } from "./failure.ts";

/** Repeats a request after transient failures where the contract makes that safe. */
export const retries: Part = {
  options: ["retry", "retryBudget", "onRetry"],
  ofCalls: ["retry"],
  defaults: { ...RETRY, retryBudget: RETRY_BUDGET },
  limits: limitsOf,
  // One key for all attempts, so that the service recognises a retry.
  headersOf: ({ idempotencyKey: name }) => (name === undefined ? undefined : { [name]: newKey() }),
  ofCall: (fetch, exchange) => {
    const { connection, operation, settings } = exchange;
    const { onRetry } = connection.options();
    return repeat(fetch, {
      ...settings,
      budget: connection.budget,
      isRepeatable: ({ headers }) =>
        operation.isRetryable === true &&
        !exchange.isOnce &&
        (operation.idempotencyKey === undefined || headers.has(operation.idempotencyKey)),
      isTransient: (failure) => isTransient(exchange, failure),
      onRetry:
        onRetry &&
        (async ({ attempt, delay, ...failure }) => {
          const { status, code } = await failedAttempt(exchange, failure);
          await ofUser(exchange, () => onRetry({ operationId: operation.id, attempt, delay, status, code }));
        }),
    });
  },
};

/** Returns the numbers of options, with the defaults. Throws a TypeError that names an invalid or unknown option. */
function limitsOf(options: CallLimits, numbers: Limits): Limits {
  const { retry: given = {} } = options;
  if (given !== false && (typeof given !== "object" || !given))
    throw new TypeError("retry must be an object or false.");
  rejectUnknown(given || {}, Object.keys(RETRY), "retry.");
  return numbersOf({ ...options, ...(given || { limit: 0 }) }, numbers);
}

async function isTransient(exchange: Exchange, failure: RetriedFailure): Promise<boolean> {
  if (failure.response === undefined) return !exchange.thrown?.isUsers && isTransientByDefault(failure);
  if (isTransientByDefault(failure)) return true;
  const { transientCodes = [] } = exchange.api;
  return transientCodes.length > 0 && transientCodes.includes((await failedAttempt(exchange, failure)).code);
}

/** Returns the status and the code of a failed attempt, as its result would have them. */
async function failedAttempt(exchange: Exchange, { response, error }: RetriedFailure) {
  const result = response
    ? errorResult({ ...exchange, response }, valueOf(await response.clone().text()))
    : failureOf({ ...exchange, isHeld: true }, error);
  const { status, error: found } = result;
  return { status, code: factsOf(exchange.api, found, status)[0] };
}

/** Ends a response whose next bytes do not arrive in time. */
export const idleTimeouts: Part = {
  options: ["idleTimeout"],
  ofCalls: ["idleTimeout"],
  defaults: { idleTimeout: Infinity },
  ofAttempt: (fetch, { settings: { idleTimeout } }) =>
    idleTimeout === Infinity ? fetch : idleLimit(fetch, idleTimeout),
};

/** Calls `onRequest` before each attempt and `onResponse` with each response. */
export const hooks: Part = {
  options: ["onRequest", "onResponse"],
  ofAttempt: (fetch, exchange) => {
    const { connection, operation } = exchange;
    const { onRequest, onResponse } = connection.options();
    return async (request, init) => {
      const headers = new Headers(init?.headers ?? request.headers);
      const { method, url } = request;
      const event = { operationId: operation.id, attempt: ++exchange.attempt, method, url };
      await ofUser(exchange, () => onRequest?.({ ...event, headers }));
      const start = performance.now();
      const response = await sendBy(fetch, request, { ...init, headers });
      await ofUser(exchange, () => onResponse?.({ ...event, duration: performance.now() - start, response }));
      return response;
    };
  },
};

/** The header with the token of a write. Of two values, the greater string is that of the later write. */
const TOKEN = "Consistency-Token";

/**
 * Sends the greatest token of all calls, those given by a header too, so that a service with read replicas returns no data from before
 * these writes.
 */
export const ownWrites: Part = {
  options: [],
  ofAttempt: (fetch, { connection: { tokens }, baseUrl }) => {
    const keepNewest = (headers: Headers): void => {
      const token = headers.get(TOKEN);
      if (token! > (tokens[baseUrl] ?? "")) tokens[baseUrl] = token!;
    };
    return async (request, init) => {
      const headers = new Headers(init?.headers ?? request.headers);
      keepNewest(headers);
      if (tokens[baseUrl]) headers.set(TOKEN, tokens[baseUrl]);
      const response = await sendBy(fetch, request, { ...init, headers });
      keepNewest(response.headers);
      return response;
    };
  },
};

/** Reports deprecated operations, each once, to `onDeprecated` or the console. */
export const deprecations: Part = {
  options: ["onDeprecated"],
  ofCall: (fetch, exchange) => async (request, init) => {
    try {
      return await sendBy(fetch, request, init);
    } finally {
      const { connection, operation, response } = exchange;
      await ofUser(exchange, () => reportDeprecation(connection, operation, response?.headers));
    }
  },
};

/** Reports a deprecated operation once. The dates of the response override those of the contract, because they are newer. */
export function reportDeprecation(
  { api, reported, options }: Connection,
  { id, deprecated }: Exchange["operation"],
  headers?: Headers,
): void {
  const { onDeprecated = warnOf(api.name) } = options();
  reportOnce(reported, id, onDeprecated, deprecated, headers);
}
