import { isIPv6 } from "node:net";
import { forwardedOf } from "@openapi-operations/service/forwarded";
import { problem } from "@openapi-operations/service/problems";
import { isPostgres } from "@openapi-operations/storage/database";
import type { Request } from "express";
import type { SecurityHandler } from "express-operations";
import type { Kysely } from "kysely";
import { type RateLimit, type RequestWindow, windowsInDatabase, windowsInMemory } from "./request-windows.ts";

/** The rate limits of a service. Undefined means no limit. */
export interface RateLimits {
  /** The limit of requests of one caller: an API key, a token's subject or a user. */
  perCaller: RateLimit | undefined;
  /** The limit of failed authentications from one address. */
  failuresPerAddress: RateLimit | undefined;
}

/** The options of `implement` that validate credentials. */
export interface LimitedSecurity<Caller> {
  security: Record<string, SecurityHandler<Caller>>;
  onInvalidCredential?: (request: Request) => Promise<void>;
}

/**
 * Adds rate limits to the validation of credentials. On PostgreSQL, all processes share the counts and the clock of the database.
 * On SQLite, each process has its own, and a monotonic clock. `Retry-After` is never longer than the limit's time.
 *
 * A caller is counted once per request. Schemes with the same validation share its callers, so that a key has one limit, in
 * whichever header it is sent. A request counts as a failure if all alternatives fail. Beyond the limit of failures, valid
 * credentials are accepted, except those of the schemes in `guessable`: these are no longer validated, since an attacker could
 * guess a password.
 *
 * A request beyond a limit gets 429 with `Retry-After`. Each response has the limit in the headers `RateLimit-Policy` and
 * `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10). A request that cannot be counted is rejected with `DatabaseError`.
 */
export function withRateLimits<Caller extends { id: number | string } | undefined>(
  limits: RateLimits,
  db: Kysely<any>,
  security: Record<string, SecurityHandler<Caller>>,
  guessable: readonly string[] = [],
): LimitedSecurity<Caller> {
  const perCaller = limiterOf(limits.perCaller, "key", db);
  const perAddress = limiterOf(limits.failuresPerAddress, "address", db);
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
      if (grant && grant.caller) await countCaller(`${kind}:${grant.caller.id}`, request);
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

function limiterOf(limit: RateLimit | undefined, prefix: string, db: Kysely<any>): Limiter | undefined {
  if (limit === undefined) return undefined;
  const windows = isPostgres(db) ? windowsInDatabase(db, limit) : windowsInMemory(limit);
  const headersOf = ({ requests, endsAt }: RequestWindow) => {
    const seconds = String(Math.max(1, Math.ceil((endsAt - performance.now()) / 1_000)));
    const headers = {
      "RateLimit-Policy": `"default";q=${limit.requests};w=${limit.seconds}`,
      RateLimit: `"default";r=${Math.max(0, limit.requests - requests)};t=${seconds}`,
    };
    return { headers, refusal: { ...headers, "Retry-After": seconds } };
  };
  return {
    count: async (counter, request) => {
      const window = await windows.count(`${prefix}:${counter}`);
      const { headers, refusal } = headersOf(window);
      if (window.requests > limit.requests) throw problem("rate_limited", refusal);
      request.res!.set(headers);
    },
    expectRoom: async (counter) => {
      const window = await windows.find(`${prefix}:${counter}`);
      if (window !== undefined && window.requests >= limit.requests)
        throw problem("rate_limited", headersOf(window).refusal);
    },
  };
}

/** Returns an IPv4 address unchanged, or the /64 of an IPv6 address. A /64 usually belongs to one customer (RFC 6177). */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail = ""] = address.split("::");
  const groups = head.split(":");
  const missing = tail === "" && !address.includes("::") ? 0 : 8 - groups.length - tail.split(":").length;
  return [...groups, ...Array.from({ length: missing }, () => "0"), ...tail.split(":")].slice(0, 4).join(":");
}
