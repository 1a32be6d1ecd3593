import { isIP, isIPv6, SocketAddress } from "node:net";
import type { Request } from "express";
import type { Problem } from "express-operations";
import { problem } from "../problems.ts";
import { MAX_PROXIES } from "../settings.ts";

/**
 * The maximum length of a request target (path and query), in characters. Node's limit of 16 KiB covers target and headers
 * together.
 */
export const MAX_TARGET = 8_192;

/** Returns the problem of a request head that HTTP forbids but Node's parser accepts. */
export function headFault(request: Request): Problem | undefined {
  return versionFault(request) ?? framingFault(request) ?? hostFault(request) ?? targetFault(request);
}

/** The start of the next request is unknown after a fault of version or framing, so the connection is closed. */
const CLOSE = { Connection: "close" };

function versionFault({ httpVersion }: Request) {
  return httpVersion === "1.1" || httpVersion === "1.0" ? undefined : problem("http_version_not_supported", CLOSE);
}

/** Returns the problem of a Transfer-Encoding that is not `chunked` alone, or is in HTTP/1.0 (RFC 9112, sections 6.1 and 6.3). */
function framingFault({ httpVersion, headers }: Request) {
  const coding = headers["transfer-encoding"];
  if (coding === undefined) return undefined;
  if (httpVersion === "1.0")
    return problem(
      "invalid_request",
      CLOSE,
      "HTTP/1.0 does not support Transfer-Encoding. Send a Content-Length, or use HTTP/1.1.",
    );
  if (coding.toLowerCase() === "chunked") return undefined;
  const code = /,[ \t]*chunked$/i.test(coding) ? "not_implemented" : "invalid_request";
  return problem(code, CLOSE, "The only Transfer-Encoding supported is chunked. Send the body without other codings.");
}

/** Returns the 400 for a missing, repeated or malformed Host (RFC 9112, section 3.2). Node's own 400 would have no body. */
function hostFault(request: Request) {
  const count = headerCount(request, "host");
  const isValid = count === 0 ? request.httpVersion === "1.0" : count === 1 && isAuthority(request.headers.host!);
  return isValid
    ? undefined
    : problem(
        "invalid_request",
        undefined,
        "The request must have exactly one valid Host header. Send the host name or address of the service.",
      );
}

/** A scheme, and an authority with user information (RFC 3986, section 3.2.1). */
const USER_INFORMATION = /^[A-Za-z][\w+.-]*:\/\/[^/?]*@/;

function targetFault({ originalUrl }: Request) {
  if (originalUrl.length > MAX_TARGET) return problem("uri_too_long");
  if (!originalUrl.includes("#") && !USER_INFORMATION.test(originalUrl)) return undefined;
  return problem(
    "invalid_request",
    undefined,
    "The request target must have no fragment and no user information. Send the path and query only.",
  );
}

function headerCount({ rawHeaders }: Request, lowerCaseName: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]!.toLowerCase() === lowerCaseName) count++;
  return count;
}

/** The client of a request, as reported by the proxies in `TRUST_PROXY`. */
export interface Forwarded {
  /** The client's IP address in canonical form, without a port; undefined only if the connection is gone. */
  address: string | undefined;
  /** The scheme of the URL that the client requested; undefined if no trusted proxy reports it. */
  scheme?: Scheme | undefined;
  /** The `Host` that the client sent, not validated; undefined if no trusted proxy reports it. */
  host?: string | undefined;
  /** The client addresses in `Forwarded` and `X-Forwarded-For`, if they differ. Neither is used then, since one may be forged. */
  claimed?: (string | undefined)[];
}

type Scheme = "http" | "https";

/** Express's compiled setting `trust proxy`: whether the proxy at an address is trusted, `hop` hops away. */
type IsTrusted = (address: string | undefined, hop: number) => boolean;

/** The maximum length of one hop in a forwarding header, in characters. Proxies write less. */
const MAX_ELEMENT_LENGTH = 256;

/**
 * Returns the client's address, scheme and host from `Forwarded` (RFC 7239), or from `X-Forwarded-For`, `-Proto` and `-Host`.
 * Without a trusted proxy it returns the address of the connection. The headers are read from the right, where the nearest proxy
 * adds its entry. Reading ends at the first untrusted address, so entries that a client invents are ignored. It also ends at an
 * entry whose address is hidden (`unknown`, `_name`) or malformed: the proxy that wrote the entry then counts as the client.
 */
export function forwardedOf(request: Request): Forwarded {
  const { socket, headers } = request;
  const isTrusted = request.app.get("trust proxy fn") as IsTrusted;
  const peer = peerAddress(socket.remoteAddress);
  if (!isTrusted(peer, 0)) return { address: peer };

  const elements = take(MAX_PROXIES, elementsFromRight(headers["forwarded"] ?? ""));
  const nodes = take(MAX_PROXIES, itemsFromRight(headers["x-forwarded-for"]));
  const forwarded = followProxies(
    peer,
    elements.map((element) => element.get("for")),
    isTrusted,
  );
  const xForwardedFor = followProxies(peer, nodes, isTrusted);
  const isInBoth = elements.length > 0 && nodes.length > 0;
  if (isInBoth && forwarded.address !== xForwardedFor.address) {
    return { address: peer, claimed: [forwarded.address, xForwardedFor.address] };
  }
  const fromProxy = (parameter: string, header: string): string | undefined => {
    const items = take(Math.max(xForwardedFor.hops, 1), itemsFromRight(headers[header]));
    return elements[forwarded.hops - 1]?.get(parameter) ?? items.at(-1); // a proxy that replaces the header leaves one item
  };
  return {
    address: elements.length > 0 ? forwarded.address : xForwardedFor.address,
    scheme: schemeOf(fromProxy("proto", "x-forwarded-proto")),
    host: fromProxy("host", "x-forwarded-host"),
  };
}

/**
 * Follows the hops from trusted proxy to trusted proxy. Returns the address of the first untrusted hop and the number of hops to
 * it.
 */
function followProxies(peer: string | undefined, nodes: (string | undefined)[], isTrusted: IsTrusted) {
  let address = peer;
  let hops = 0;
  while (hops < nodes.length && isTrusted(address, hops)) {
    const previous = addressOf(nodes[hops++]);
    if (previous === undefined) break;
    address = previous;
  }
  return { address, hops };
}

/** Returns the IP address in a node (RFC 7239, section 6) or in an item of `X-Forwarded-For`, where IPv6 may lack brackets. */
function addressOf(node = ""): string | undefined {
  if (node.length > MAX_ELEMENT_LENGTH) return undefined;
  const [, inBrackets, v4] = /^(?:\[([^\]]+)\]|([\d.]+))(?::(?:\d{1,5}|_[\w.-]+))?$/.exec(node) ?? [];
  const address = inBrackets ?? v4 ?? node;
  if (!isIPv6(address)) return isIP(address) === 4 ? address : undefined;
  const [withoutZone = ""] = address.split("%");
  return peerAddress(new SocketAddress({ family: "ipv6", address: withoutZone }).address);
}

/** Returns the address of a socket without its zone, and a mapped address (`::ffff:`) as plain IPv4. */
function peerAddress(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:(?=[\d.]+$)|%.*$/g, "");
}

function schemeOf(text = ""): Scheme | undefined {
  return (["http", "https"] as const).find((scheme) => scheme === text.toLowerCase());
}

/** Yields the items of a list header (RFC 9110, section 5.6.1), last item first. */
function* itemsFromRight(header: string | string[] = ""): Generator<string> {
  const text = String(header);
  for (let end = text.length; end > 0;) {
    const start = text.lastIndexOf(",", end - 1);
    const item = text.slice(start + 1, end).trim();
    if (item !== "") yield item;
    end = start;
  }
}

/**
 * Yields the elements of `Forwarded` (RFC 7239, section 4), last element first, and stops at a malformed one. It reads from the
 * right, since an unclosed quote from a client would hide the elements that proxies add behind it.
 */
function* elementsFromRight(header: string): Generator<Map<string, string>> {
  for (let end = header.length; end > 0;) {
    let start = end;
    let element: Map<string, string> | undefined;
    while (element === undefined && start > 0 && end - start <= MAX_ELEMENT_LENGTH) {
      start = header.lastIndexOf(",", start - 1); // a comma inside quotes leaves a text that is not an element
      element = parseElement(header.slice(start + 1, end));
    }
    if (element === undefined) return;
    if (element.size > 0) yield element;
    end = start;
  }
}

const PAIR = /[ \t]*([!#$%&'*+.^`|~\w-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;=\\]+))[ \t]*(?:;|$)/y;

/**
 * Returns the parameters of an element by lower-case name, or undefined if the element is malformed. Unquoted values may contain
 * `:` and `[]`.
 */
function parseElement(text: string): Map<string, string> | undefined {
  const element = new Map<string, string>();
  if (text.length > MAX_ELEMENT_LENGTH) return undefined;
  const trimmed = text.trim();
  for (PAIR.lastIndex = 0; PAIR.lastIndex < trimmed.length;) {
    const [, name = "", quoted, bare] = PAIR.exec(trimmed) ?? [];
    if (name === "" || element.has(name.toLowerCase())) return undefined;
    element.set(name.toLowerCase(), bare ?? quoted!.replaceAll(/\\(.)/g, "$1"));
  }
  return element;
}

function take<Item>(most: number, items: Iterable<Item>): Item[] {
  const taken: Item[] = [];
  for (const item of items) if (taken.push(item) >= most) break;
  return taken;
}

/** `host [":" port]` (RFC 3986, section 3.2). The host is a name, which may be empty, or an address. */
const AUTHORITY = /^(\[[0-9A-Za-z.:]+\]|([\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(:\d*)?$/;

/** A name of at most 253 characters (RFC 1035, section 2.3.4) or an address, with an optional port. */
const PUBLIC_HOST = /^(\[[0-9A-Fa-f.:]{2,45}\]|[\w.-]{1,253})(:\d{1,5})?$/;

/** The headers that proxies add. If one is present and no trusted proxy reports the scheme, the scheme is unknown. */
const PROXY_HEADERS = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"];

/** Whether the string is the host of a URL, with an optional port. */
export function isAuthority(text: string): boolean {
  return AUTHORITY.test(text);
}

/**
 * Returns the origin that a client used, such as `https://api.example:8443` (RFC 6454, section 6.2). It consists of `Host` and
 * the scheme that a trusted proxy reports, or http for a direct connection, since the service itself has no TLS. Returns
 * undefined without a `Host`, and behind a proxy that is not trusted, reports no scheme, or has replaced `Host`.
 */
export function originOf(request: Request): string | undefined {
  const { host = "", ...headers } = request.headers;
  const forwarded = forwardedOf(request);
  const isForwarded = PROXY_HEADERS.some((name) => headers[name] !== undefined);
  if (isForwarded && (forwarded.scheme === undefined || (forwarded.host ?? host) !== host)) return undefined;
  const isAbsolute = !request.originalUrl.startsWith("/"); // an absolute URL has a host of its own (RFC 9112, section 3.2.2)
  if (isAbsolute || !PUBLIC_HOST.test(host)) return undefined;
  const origin = `${forwarded.scheme ?? "http"}://${host}`;
  return URL.canParse(origin) ? origin : undefined;
}
