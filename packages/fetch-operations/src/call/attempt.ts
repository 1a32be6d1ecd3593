import { writeJson } from "../request/body.ts";
import { type Reader, readText } from "../response/read-body.ts";
import { keyOf } from "../operation.ts";
import type { Limits } from "../options.ts";
import { readJson } from "../response/read-json.ts";
import type { UntypedResult } from "../result.ts";
import { unreadable } from "./call-failure.ts";
import { errorResult, failureOf, responseOf } from "./failure.ts";
import type { Attempt, BuiltRequest, Exchange, ResponseExchange } from "./exchange.ts";
import { sendBuilt } from "./send-built.ts";

/** Longer timers fire at once: https://developer.mozilla.org/docs/Web/API/Window/setTimeout#maximum_delay_value */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Sends a request once and reads the response within the limit of an attempt and the milliseconds that are left. Rejects only
 * if a function of the user throws.
 */
export async function attempt(given: Attempt, limits: Limits, left = limits.timeout): Promise<Exchange> {
  const { signal } = given.options;
  const milliseconds = Math.min(limits.attemptTimeout, left, LONGEST_TIMER);
  const limit = new AbortController();
  const exchange: Exchange = { ...given, signal: limit.signal, secrets: [], result: undefined as never };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let end!: () => void;
  try {
    exchange.result = await new Promise<UntypedResult>((resolve, reject) => {
      end = () => {
        limit.abort(signal?.reason);
        reject(limit.signal.reason as Error); // which also ends a custom `fetch` that ignores the signal
      };
      if (signal?.aborted || !(milliseconds > 0)) return end();
      timer = setTimeout(end, milliseconds);
      signal?.addEventListener("abort", end);
      resultOf(exchange).then(resolve, reject);
    });
  } catch (cause) {
    const isEnded = limit.signal.aborted;
    if (exchange.isUserError && !isEnded) throw cause;
    exchange.result = failureOf(exchange, cause, isEnded);
  } finally {
    clearTimeout(timer);
    if (!exchange.isHeld) signal?.removeEventListener("abort", end);
  }
  return exchange;
}

function resultOf(exchange: Exchange): Promise<UntypedResult> {
  const { connection, operation, signal } = exchange;
  const { target, headers, body, contentType } = exchange.parts();
  const written = body === undefined ? undefined : (operation.write ?? writeJson)(body, contentType);
  exchange.isOnce = written?.duplex !== undefined;
  const sent = connection.request(operation.method, target, {
    baseUrl: connection.baseUrlOf(operation),
    body: written?.body,
    duplex: written?.duplex,
    headers: { ...headers, "Content-Type": written?.contentType ?? undefined },
    signal,
    fetch: (built: BuiltRequest) => sendBuilt(exchange, built),
  });
  return sent.then(() => readResult(exchange as ResponseExchange));
}

/** Returns the result of a response, and reads the body of a success as its declared media type. */
async function readResult(exchange: ResponseExchange): Promise<UntypedResult> {
  const { operation, response } = exchange;
  const { status, ok } = response;
  if (!ok) return errorResult(exchange, await readText(exchange));
  const key = keyOf(operation.success, status);
  if (key === undefined) throw unreadable("is not declared by the contract", await readText(exchange));
  let data: unknown;
  if (operation.method === "HEAD" || status === 204 || status === 205 || operation.empty?.includes(key))
    await response.body?.cancel();
  else data = await ((operation.read as Reader | undefined) ?? readJson)(exchange);
  const { contentType } = exchange;
  return { ok, status, data, ...responseOf(exchange), ...(contentType && { contentType }) };
}
