import { isIPv6 } from "node:net";
import { forwardedOf } from "@platform/service/request-head";
import { problem } from "@platform/service/problems";
import { isPostgres } from "@platform/storage/database";
import { DatabaseError } from "@platform/storage/database-error";
import type { Request } from "express";
import type { SecurityHandler } from "express-operations";
import { CompiledQuery, type Kysely } from "kysely";
import type { RateLimiterAbstract, RateLimiterRes } from "rate-limiter-flexible";

/** At most so many requests in so many seconds. */
export interface RateLimit {
  requests: number;
  seconds: number;
}

/** Undefined is no limit. */
export interface RateLimits {
  /** Of the requests made with one API key. */
  perKey: RateLimit | undefined;
  /** Of the failed authentications from one address. A key that is valid is let through from any address. */
  failuresPerAddress: RateLimit | undefined;
}

/**
 * Limits what a judge of credentials admits: in all processes together on PostgreSQL, in this one on SQLite. Beyond a limit
 * the answer is 429 with `Retry-After`; the caller's own limit stands on each answer in `RateLimit-Policy` and `RateLimit`
 * (draft-ietf-httpapi-ratelimit-headers-10). Throws `DatabaseError`, and admits nobody, when it cannot be counted.
 */
export async function withRateLimit<Caller extends { id: number }>(
  limits: RateLimits,
  db: Kysely<any>,
  authenticate: SecurityHandler<Caller>,
): Promise<SecurityHandler<Caller>> {
  if (limits.perKey === undefined && limits.failuresPerAddress === undefined) return authenticate;
  const perKey = await limiterOf(limits.perKey, "key", db);
  const perAddress = await limiterOf(limits.failuresPerAddress, "address", db);
  return async (credential, request) => {
    const grant = await authenticate(credential, request);
    if (grant !== undefined) await perKey?.(String(grant.caller.id), request);
    else await perAddress?.(networkOf(forwardedOf(request).address ?? ""), request);
    return grant;
  };
}

/** Counts a request, or throws the refusal. */
type Limiter = (counted: string, request: Request) => Promise<void>;

async function limiterOf(
  limit: RateLimit | undefined,
  keyPrefix: string,
  db: Kysely<any>,
): Promise<Limiter | undefined> {
  if (limit === undefined) return undefined;
  const counter = await counterOf(limit, keyPrefix, db);
  return async (counted, request) => {
    const { isAllowed, left, seconds } = await consume(counter, counted);
    const headers = {
      "RateLimit-Policy": `"default";q=${limit.requests};w=${limit.seconds}`,
      RateLimit: `"default";r=${left};t=${seconds}`,
    };
    if (!isAllowed) throw problem("rate_limited", { ...headers, "Retry-After": String(seconds) });
    request.res!.set(headers);
  };
}

async function counterOf(
  { requests, seconds }: RateLimit,
  keyPrefix: string,
  db: Kysely<any>,
): Promise<RateLimiterAbstract> {
  const { RateLimiterMemory, RateLimiterPostgres } = await import("rate-limiter-flexible");
  const options = { points: requests, duration: seconds, keyPrefix };
  if (!isPostgres(db)) return new RateLimiterMemory(options);
  return new RateLimiterPostgres({
    ...options,
    storeType: "client",
    storeClient: {
      query: ({ text, values }: { text: string; values: unknown[] }) =>
        db.executeQuery(CompiledQuery.raw(text, values)),
    },
    tableName: "rate_limits",
    tableCreated: true,
    inMemoryBlockOnConsumed: requests + 1, // what is refused until the time is over need not be counted in the database
  });
}

/** The limiter rejects with the same facts when the limit is reached, and with an error when the database is away. */
async function consume(counter: RateLimiterAbstract, counted: string) {
  const toFacts = (isAllowed: boolean, { remainingPoints, msBeforeNext }: RateLimiterRes) => {
    return { isAllowed, left: remainingPoints, seconds: Math.max(1, Math.ceil(msBeforeNext / 1000)) };
  };
  return counter.consume(counted).then(
    (facts) => toFacts(true, facts),
    (facts: RateLimiterRes | Error) => {
      if (facts instanceof Error) throw new DatabaseError("A request could not be counted.", { cause: facts });
      return toFacts(false, facts);
    },
  );
}

/** The address, or for IPv6 the /64 it is in, which commonly belongs to one customer (RFC 6177). */
export function networkOf(address: string): string {
  const v4 = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (v4 !== undefined || !isIPv6(address)) return v4 ?? address;
  const [head = "", tail = ""] = address.split("::");
  const groups = head.split(":");
  const missing = tail === "" && !address.includes("::") ? 0 : 8 - groups.length - tail.split(":").length;
  return [...groups, ...Array.from({ length: missing }, () => "0"), ...tail.split(":")].slice(0, 4).join(":");
}
