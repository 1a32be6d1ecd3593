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
  /** The limit of requests of one caller: an API key, a token's subject or a user. */
  perCaller: RateLimit | undefined;
  /** The limit of failed authentications from one address. */
  failuresPerAddress: RateLimit | undefined;
}

/** The options of `implement` that validate credentials. */
interface LimitedSecurity<Caller> {
  security: Record<string, SecurityHandler<Caller>>;
  onInvalidCredential?: (request: Request) => Promise<void>;
}

/**
 * Adds rate limits to the validation of credentials. On PostgreSQL, all processes share the counts. On SQLite, each process has
 * its own.
 *
 * A caller is counted once per request. Schemes with the same validation share its callers, so that a key has one limit, in
 * whichever header it is sent. A request counts as a failure if all alternatives fail. Beyond the limit of failures, valid
 * credentials are accepted, except those of the schemes in `guessable`: these are no longer validated, since an attacker could
 * guess a password.
 *
 * A request beyond a limit gets 429 with `Retry-After`. Each response has the limit in the headers `RateLimit-Policy` and
 * `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10). A request that cannot be counted is rejected with `DatabaseError`.
 */
export async function withRateLimits<Caller extends { id: number | string } | undefined>(
  limits: RateLimits,
  db: Kysely<any>,
  security: Record<string, SecurityHandler<Caller>>,
  guessable: readonly string[] = [],
): Promise<LimitedSecurity<Caller>> {
  const perCaller = await limiterOf(limits.perCaller, "key", db);
  const perAddress = await limiterOf(limits.failuresPerAddress, "address", db);
  if (perCaller === undefined && perAddress === undefined) return { security };
  const kinds = new Map<SecurityHandler<Caller>, string>();
  const counted = new WeakMap<Request, Set<string>>();

  const countCaller = async (counter: string, request: Request): Promise<void> => {
    const before = counted.get(request) ?? new Set();
    if (perCaller === undefined || before.has(counter)) return;
    counted.set(request, before.add(counter));
    await perCaller.count(counter, request);
  };
  const limited = Object.entries(security).map(([scheme, authenticate]): [string, SecurityHandler<Caller>] => {
    const kind = kinds.get(authenticate) ?? scheme;
    kinds.set(authenticate, kind);
    const handler: SecurityHandler<Caller> = async (credential, request) => {
      if (guessable.includes(scheme)) await perAddress?.expectRoom(addressOf(request));
      const grant = await authenticate(credential, request);
      if (grant?.caller) await countCaller(`${kind}:${grant.caller.id}`, request);
      return grant;
    };
    return [scheme, handler];
  });
  return {
    security: Object.fromEntries(limited),
    ...(perAddress && { onInvalidCredential: (request) => perAddress.count(addressOf(request), request) }),
  };
}

function addressOf(request: Request): string {
  return networkOf(forwardedOf(request).address ?? "");
}

/** Counts the requests of callers or addresses. Throws the problem for 429 beyond the limit. */
interface Limiter {
  count: (counter: string, request: Request) => Promise<void>;
  /** Throws unless one more request would be within the limit. Counts nothing. */
  expectRoom: (counter: string) => Promise<void>;
}

async function limiterOf(
  limit: RateLimit | undefined,
  keyPrefix: string,
  db: Kysely<any>,
): Promise<Limiter | undefined> {
  if (limit === undefined) return undefined;
  const limiter = await createLimiter(limit, keyPrefix, db);
  const headersOf = ({ remainingPoints, msBeforeNext }: RateLimiterRes) => {
    const seconds = String(Math.max(1, Math.ceil(msBeforeNext / 1000)));
    const headers = {
      "RateLimit-Policy": `"default";q=${limit.requests};w=${limit.seconds}`,
      RateLimit: `"default";r=${Math.max(0, remainingPoints)};t=${seconds}`,
    };
    return { headers, refusal: { ...headers, "Retry-After": seconds } };
  };
  return {
    count: async (counter, request) => {
      const { isAllowed, result } = await consume(limiter, counter);
      const { headers, refusal } = headersOf(result);
      if (!isAllowed) throw problem("rate_limited", refusal);
      request.res!.set(headers);
    },
    expectRoom: async (counter) => {
      const result = await limiter.get(counter).catch(notCounted);
      if (result !== null && result.remainingPoints <= 0) throw problem("rate_limited", headersOf(result).refusal);
    },
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
      query: async ({ text, values }: { text: string; values: unknown[] }) => {
        const { rows } = await db.executeQuery(CompiledQuery.raw(text, values));
        return { rows, rowCount: rows.length };
      },
    },
    tableName: "rate_limits",
    tableCreated: true,
    inMemoryBlockOnConsumed: requests + 1, // beyond the limit, this process rejects without a query
  });
}

/** Counts a request. `limiter.consume` rejects with a result beyond the limit, and with an Error if the database fails. */
async function consume(
  limiter: RateLimiterAbstract,
  counter: string,
): Promise<{ isAllowed: boolean; result: RateLimiterRes }> {
  return limiter.consume(counter).then(
    (result) => ({ isAllowed: true, result }),
    (rejected: RateLimiterRes | Error) => {
      if (rejected instanceof Error) return notCounted(rejected);
      return { isAllowed: false, result: rejected };
    },
  );
}

function notCounted(cause: unknown): never {
  throw new DatabaseError("A request could not be counted.", { cause });
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
