import { TLSSocket } from "node:tls";
import { parseCookie } from "cookie";
import type { Request } from "express";
import {
  type OpenApiDocument,
  type OperationEntry,
  type SecurityRequirement,
  type SecurityScheme,
  requirementsOf,
  securityScheme,
} from "openapi-document";
import { type Problem, createProblem } from "../problem.ts";
import { queryValue } from "../request/query.ts";

/** The owner of a credential, and its scopes. Without `scopes`, every operation is allowed. A falsy caller is nobody. */
export interface Grant<Caller> {
  caller: NonNullable<Caller>;
  scopes?: readonly string[];
}

/**
 * Validates the credential of one security scheme as sent: the bearer token, the API key, `user:password` of HTTP Basic, what
 * follows the name of another HTTP scheme, or the PEM of the client certificate. It is not called if nothing was sent.
 *
 * Returns undefined, or another falsy value, for an invalid credential: the response is a 401. Any other value that is no
 * `Grant` fails the request with an error that names the scheme. Throws if the credential cannot be validated.
 */
export type SecurityHandler<Caller> = (
  credential: string,
  request: Request,
) => MaybeGrant<Caller> | Promise<MaybeGrant<Caller>>;

type MaybeGrant<Caller> = Grant<Caller> | false | undefined;

/** Returns the caller of a request, or the 401 or 403. It returns no promise if the security handlers return none. */
export type Guard<Caller> = (request: Request) => Admission<Caller> | Problem | Promise<Admission<Caller> | Problem>;

/** The callers of an authorized request by scheme, and the last of them. */
export interface Admission<Caller> {
  caller: Caller | undefined;
  callers: Readonly<Record<string, Caller>>;
}

/** Called with a request that gets 401 for an invalid credential. A thrown `Problem` is sent instead of the 401. */
export type OnInvalidCredential = (request: Request) => void | Promise<void>;

/** The security handlers by scheme, and the realm of challenges. */
export interface SecurityOptions<Caller> {
  handlers: Record<string, SecurityHandler<Caller>>;
  realm: string;
  onInvalidCredential?: OnInvalidCredential | undefined;
}

/** One scheme of a security requirement, and how a request fails it. */
interface Check<Caller> extends Record<"whenMissing" | "whenInvalid" | "whenLacking", Rejection> {
  scheme: string;
  read: (request: Request) => string | undefined;
  handler: SecurityHandler<Caller>;
  scopes: string[];
}

export function schemeNamesOf(document: OpenApiDocument, entry: OperationEntry): string[] {
  return requirementsOf(document, entry).flatMap((requirement) => Object.keys(requirement));
}

/**
 * Returns the guard of an operation. A request must satisfy every scheme of one security requirement (OpenAPI 3.1,
 * "Security Requirement Object"). The empty requirement is tried last, so that a credential is validated where none is
 * needed. Challenges follow RFC 9110, section 11.6.1, and RFC 6750, section 3.
 */
export function guardOf<Caller>(
  document: OpenApiDocument,
  entry: OperationEntry,
  options: SecurityOptions<Caller>,
): Guard<Caller> {
  const alternatives = requirementsOf(document, entry)
    .map((requirement) => checksOf(document, entry, requirement, options))
    .toSorted((one, other) => Number(one.length === 0) - Number(other.length === 0));
  const { onInvalidCredential } = options;
  return alternatives.length === 0
    ? () => ANONYMOUS
    : (request) => admitByAny(alternatives, request, onInvalidCredential);
}

/** The admission of a request without credentials. */
export const ANONYMOUS = { caller: undefined, callers: Object.freeze({}) };

/** The challenges of a requirement that a request does not satisfy. */
interface Rejection {
  challenges: string[];
  /** Whether a credential is invalid, and not just missing. */
  isInvalid?: true;
  /** The scopes that the credentials need, if they are valid but lack a scope. */
  lacking?: string;
}

/** Tries the remaining alternatives in order. The first alternative that the request satisfies decides. */
function admitByAny<Caller>(
  alternatives: Check<Caller>[][],
  request: Request,
  onInvalid?: OnInvalidCredential,
  rejections: Rejection[] = [],
): ReturnType<Guard<Caller>> {
  const checks = alternatives[rejections.length];
  if (checks === undefined) {
    const rejected = problemOf(rejections);
    if (onInvalid === undefined || rejected.status !== 401 || !rejections.some(({ isInvalid }) => isInvalid))
      return rejected;
    return mapMaybePromise(onInvalid(request), () => rejected);
  }
  return mapMaybePromise(admitByAll(checks, request), (admission) =>
    "caller" in admission ? admission : admitByAny(alternatives, request, onInvalid, [...rejections, admission]),
  );
}

/** Runs the checks from index `at` on. */
function admitByAll<Caller>(
  checks: Check<Caller>[],
  request: Request,
  admitted: Admission<Caller> = ANONYMOUS,
  at = 0,
): Admission<Caller> | Rejection | Promise<Admission<Caller> | Rejection> {
  const check = checks[at];
  if (check === undefined) return admitted;
  const credential = check.read(request);
  if (credential === undefined) return check.whenMissing;
  return mapMaybePromise(check.handler(credential, request), (value) => {
    const grant = grantIn(value, check.scheme);
    if (grant === undefined) return check.whenInvalid;
    const { caller, scopes } = grant;
    if (scopes !== undefined && !check.scopes.every((scope) => scopes.includes(scope))) return check.whenLacking;
    return admitByAll(checks, request, { caller, callers: { ...admitted.callers, [check.scheme]: caller } }, at + 1);
  });
}

/**
 * Returns the grant in a value of a security handler, which need not be what its type says. A falsy value or caller grants
 * nothing. Throws for a value that can only be a mistake.
 */
function grantIn<Caller>(value: MaybeGrant<Caller>, scheme: string): Grant<Caller> | undefined {
  if (!value) return undefined;
  const mistake = mistakeIn(value);
  if (mistake !== undefined)
    throw new TypeError(
      `The security handler of "${scheme}" returned ${mistake}. Return { caller } or { caller, scopes }, or undefined for an invalid credential.`,
    );
  return value.caller ? value : undefined;
}

function mistakeIn(value: object): string | undefined {
  if (typeof value !== "object" || !("caller" in value))
    return typeof value === "object" ? "an object without `caller`" : `a ${typeof value}`;
  if (isPromiseLike(value.caller)) return "a promise as `caller`";
  if (!("scopes" in value)) return undefined;
  const { scopes } = value;
  const isArray = Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string");
  return isArray ? undefined : "`scopes` that are not an array of strings";
}

/** Returns 403 if one alternative failed only for a missing scope, otherwise 401 with the challenges of all. */
function problemOf(rejections: Rejection[]): Problem {
  const forbidden = rejections.find(({ lacking }) => lacking !== undefined);
  const challenges = forbidden?.challenges ?? [...new Set(rejections.flatMap((rejection) => rejection.challenges))];
  const headers = challenges.length > 0 ? { "WWW-Authenticate": challenges.join(", ") } : undefined;
  if (forbidden === undefined) return createProblem(401, "Valid credentials are required for this operation.", headers);
  return createProblem(403, `This operation needs the scope ${forbidden.lacking}.`, headers);
}

/** Returns the checks of a requirement. Their rejections carry the challenges of all of them. */
function checksOf<Caller>(
  document: OpenApiDocument,
  entry: OperationEntry,
  requirement: SecurityRequirement,
  { handlers, realm }: SecurityOptions<Caller>,
): Check<Caller>[] {
  const schemes = Object.keys(requirement).map((name) => readingOf(schemeOf(document, entry, name), realm));
  const challenges = schemes.map(({ challenge }) => challenge);
  return Object.entries(requirement).map(([scheme, scopes], at) => {
    const { read, challenge } = schemes[at]!;
    const isBearer = read === bearerToken;
    const lacking = scopes.join(" ");
    return {
      scheme,
      read,
      handler: handlers[scheme]!,
      scopes,
      whenMissing: { challenges },
      whenInvalid: {
        challenges: isBearer ? challenges.with(at, `${challenge}, error="invalid_token"`) : challenges,
        isInvalid: true,
      },
      whenLacking: {
        challenges: isBearer ? [`${challenge}, error="insufficient_scope", scope="${lacking}"`] : [],
        lacking,
      },
    };
  });
}

/** Returns how the credential of a scheme is read, and the challenge for it. */
function readingOf(
  scheme: SecurityScheme,
  realm: string,
): { read: (request: Request) => string | undefined; challenge: string } {
  const kind = scheme.type === "http" ? (scheme.scheme ?? "").toLowerCase() : scheme.type;
  switch (kind) {
    case "bearer":
    case "oauth2":
    case "openIdConnect":
      return { read: bearerToken, challenge: `Bearer realm="${realm}"` };
    case "basic":
      return { read: basicCredentials, challenge: `Basic realm="${realm}", charset="UTF-8"` };
    case "apiKey":
      return { read: apiKey(scheme), challenge: `ApiKey realm="${realm}", name="${scheme.name}"` };
    case "mutualTLS":
      return { read: clientCertificate, challenge: `${kind} realm="${realm}"` };
    default:
      return {
        read: scheme.type === "http" ? credentialsOf(kind) : () => undefined,
        challenge: `${kind} realm="${realm}"`,
      };
  }
}

/** Reads what follows the name of an HTTP scheme (RFC 9110, section 11.6.2). */
function credentialsOf(scheme: string): (request: Request) => string | undefined {
  return (request) => {
    const [, name, credentials] = /^(\S+) +(.*)$/.exec(authorization(request)) ?? [];
    return name?.toLowerCase() === scheme ? credentials : undefined;
  };
}

/** Returns the certificate of the client in PEM. `socket.authorized` says whether an authority of the server signed it. */
function clientCertificate({ socket }: Request): string | undefined {
  return socket instanceof TLSSocket ? socket.getPeerX509Certificate()?.toString() : undefined;
}

/** The token as sent, even if it is malformed, so that the challenge can contain `invalid_token`. */
const bearerToken = credentialsOf("bearer");

function basicCredentials(request: Request): string | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(authorization(request))?.[1];
  return encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString("utf8");
}

/** Returns the Authorization header. A repeated header identifies no single caller, so it counts as missing. */
function authorization(request: Request): string {
  const { rawHeaders, headers } = request;
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]!.toLowerCase() === "authorization") count++;
  return count > 1 ? "" : (headers.authorization ?? "");
}

function apiKey(scheme: SecurityScheme): (request: Request) => string | undefined {
  const name = scheme.name ?? "";
  return (request) => {
    if (scheme.in === "cookie") return parseCookie(request.headers.cookie ?? "")[name];
    if (scheme.in === "query") return queryValue(request.url, name);
    const value = request.headers[name.toLowerCase()];
    return typeof value === "string" ? value : undefined;
  };
}

function schemeOf(document: OpenApiDocument, entry: OperationEntry, name: string): SecurityScheme {
  const scheme = securityScheme(document, name);
  if (scheme !== undefined) return scheme;
  throw new Error(`Operation "${entry.id}" needs the security scheme "${name}", which the document does not declare.`);
}

/**
 * Calls `next` with a value, or with the result of a promise. A plain value is not awaited: each `await` costs a
 * promise, and other requests in the same turn of the event loop run first.
 */
function mapMaybePromise<Value, Result>(
  value: Value | PromiseLike<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return isPromiseLike(value) ? Promise.resolve(value).then(next) : next(value);
}

export function isPromiseLike<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return typeof (value as Partial<PromiseLike<Value>> | undefined | null)?.then === "function";
}
