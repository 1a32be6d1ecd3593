import type { Request } from "express";

/** `host [":" port]` of RFC 3986, section 3.2: a name, which may be empty, or an address. */
const AUTHORITY = /^(\[[0-9A-Za-z.:]+\]|([\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(:\d*)?$/;

/** A name of at most 253 characters (RFC 1035, section 2.3.4), or an address, and a port. */
const PUBLIC_HOST = /^(\[[0-9A-Fa-f.:]{2,45}\]|[\w.-]{1,253})(:\d{1,5})?$/;

/** What a proxy adds; without trust in it, the client may have used another scheme and host. */
const FORWARDING = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"];

/** Whether a text is the host of a URL, with or without a port. */
export function isAuthority(text: string): boolean {
  return AUTHORITY.test(text);
}

/**
 * The origin that a client used, such as `https://api.example:8443` (RFC 6454, section 6.2); undefined where the request
 * does not tell it: without a `Host`, or through a proxy that is not trusted.
 */
export function originOf(request: Request): string | undefined {
  const { host = "", ...headers } = request.headers;
  if (!PUBLIC_HOST.test(host) || FORWARDING.some((name) => headers[name] !== undefined)) return undefined;
  const scheme = "encrypted" in request.socket ? "https" : "http";
  const origin = `${scheme}://${host}`;
  return URL.canParse(origin) ? origin : undefined;
}
