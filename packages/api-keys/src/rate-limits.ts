import { isIPv6 } from "node:net";
import { forwardedOf } from "@platform/service/request-head";
import { problem } from "@platform/service/problems";
import { isPostgres } from "@platform/storage/database";
import { DatabaseError } from "@platform/storage/database-error";
import type { Request } from "express";
import type { SecurityHandler } from "express-operations";
import { CompiledQuery, type Kysely } from "kysely";
import type { RateLimiterAbstract, RateLimiterRes } from "rate-limiter-flexible";

/** A limit of `requests` per `seconds`. */
export interface RateLimit {
  requests: number;
  seconds: number;
}

/** The rate limits of a service. Undefined means no limit. */
export interface RateLimits {
  /** The limit of requests with one API key. */
  perKey: RateLimit | undefined;
  /** The limit of failed authentications from one address. Valid keys are accepted from any address. */
  failuresPerAddress: RateLimit | undefined;
}

/**
 * Adds rate limits to `authenticate`. On PostgreSQL, all processes share the counts. On SQLite, each process has its own.
 *
 * A request beyond a limit gets 429 with `Retry-After`. Each response has the limit in the headers `RateLimit-Policy` and
 * `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10). A request that cannot be counted is rejected with `DatabaseError`.
 */
export async function withRateLimit<Caller extends { id: number | string } | undefined>(
  limits: RateLimits,
  db: Kysely<any>,
  authenticate: SecurityHandler<Caller>,
): Promise<SecurityHandler<Caller>> {
  if (limits.perKey === undefined && limits.failuresPerAddress === undefined) return authenticate;
  const perKey = await limiterOf(limits.perKey, "key", db);
  const perAddress = await limiterOf(limits.failuresPerAddress, "address", db);
  return async (credential, request) => {
    const grant = await authenticate(credential, request);
    if (grant !== undefined) await perKey?.(String(grant.caller?.id ?? ""), request);
    else await perAddress?.(networkOf(forwardedOf(request).address ?? ""), request);
    return grant;
  };
}

/** Counts a request of a key or address. Throws the problem for 429 beyond the limit. */
type Limiter = (counter: string, request: Request) => Promise<void>;

async function limiterOf(
  limit: RateLimit | undefined,
  keyPrefix: string,
  db: Kysely<any>,
): Promise<Limiter | undefined> {
  if (limit === undefined) return undefined;
  const limiter = await createLimiter(limit, keyPrefix, db);
  return async (counter, request) => {
    const { isAllowed, remaining, seconds } = await consume(limiter, counter);
    const headers = {
      "RateLimit-Policy": `"default";q=${limit.requests};w=${limit.seconds}`,
      RateLimit: `"default";r=${remaining};t=${seconds}`,
    };
    if (!isAllowed) throw problem("rate_limited", { ...headers, "Retry-After": String(seconds) });
    request.res!.set(headers);
  };
}

async function createLimiter(
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
    inMemoryBlockOnConsumed: requests + 1, // beyond the limit, this process rejects without a query
  });
}

/** Counts a request. `limiter.consume` rejects with a result beyond the limit, and with an Error if the database fails. */
async function consume(limiter: RateLimiterAbstract, counter: string) {
  const toResult = (isAllowed: boolean, { remainingPoints, msBeforeNext }: RateLimiterRes) => {
    return { isAllowed, remaining: remainingPoints, seconds: Math.max(1, Math.ceil(msBeforeNext / 1000)) };
  };
  return limiter.consume(counter).then(
    (allowed) => toResult(true, allowed),
    (rejected: RateLimiterRes | Error) => {
      if (rejected instanceof Error) throw new DatabaseError("A request could not be counted.", { cause: rejected });
      return toResult(false, rejected);
    },
  );
}

/** Returns an IPv4 address unchanged, or the /64 of an IPv6 address. A /64 usually belongs to one customer (RFC 6177). */
export function networkOf(address: string): string {
  const v4 = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (v4 !== undefined || !isIPv6(address)) return v4 ?? address;
  const [head = "", tail = ""] = address.split("::");
  const groups = head.split(":");
  const missing = tail === "" && !address.includes("::") ? 0 : 8 - groups.length - tail.split(":").length;
  return [...groups, ...Array.from({ length: missing }, () => "0"), ...tail.split(":")].slice(0, 4).join(":");
}
