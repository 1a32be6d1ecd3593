import type { Request } from "express";
import { forwardedOf } from "./forwarded.ts";

/** `host [":" port]` of RFC 3986, section 3.2: a name, which may be empty, or an address. */
const AUTHORITY = /^(\[[0-9A-Za-z.:]+\]|([\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(:\d*)?$/;

/** A name of at most 253 characters (RFC 1035, section 2.3.4), or an address, and a port. */
const PUBLIC_HOST = /^(\[[0-9A-Fa-f.:]{2,45}\]|[\w.-]{1,253})(:\d{1,5})?$/;

/** What a proxy adds. Unless a trusted one tells the scheme, the client may have used another. */
const FORWARDING = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"];

/** Whether a text is the host of a URL, with or without a port. */
export function isAuthority(text: string): boolean {
  return AUTHORITY.test(text);
}

/**
 * The origin that a client used, such as `https://api.example:8443` (RFC 6454, section 6.2), by `Host` and the scheme that a
 * trusted proxy tells, or http, as the service itself speaks no TLS; undefined where the request does not tell it: without a
 * `Host`, or through a proxy that is not trusted, does not tell the scheme, or has replaced `Host`.
 */
export function originOf(request: Request): string | undefined {
  const { host = "", ...headers } = request.headers;
  const told = forwardedOf(request);
  const isForwarded = FORWARDING.some((name) => headers[name] !== undefined);
  if (isForwarded && (told.scheme === undefined || (told.host ?? host) !== host)) return undefined;
  const isAbsolute = !request.originalUrl.startsWith("/"); // names a host of its own (RFC 9112, section 3.2.2)
  if (isAbsolute || !PUBLIC_HOST.test(host)) return undefined;
  const origin = `${told.scheme ?? "http"}://${host}`;
  return URL.canParse(origin) ? origin : undefined;
}
