import { isIP, isIPv6, SocketAddress } from "node:net";
import type { Request } from "express";
import { MAX_PROXIES } from "../settings.ts";
import { type Client, peerAddress } from "./stages.ts";

/** The client of a request, as reported by the proxies in `TRUST_PROXY`. */
export interface Forwarded extends Client {
  /** The scheme of the URL that the client requested; undefined if no trusted proxy reports it. */
  scheme?: Scheme | undefined;
  /** The `Host` that the client sent, not validated; undefined if no trusted proxy reports it. */
  host?: string | undefined;
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

  const elements = elementsFromRight(headers["forwarded"] ?? "");
  const nodes = itemsFromRight(headers["x-forwarded-for"]).slice(0, MAX_PROXIES);
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
    const items = itemsFromRight(headers[header]).slice(0, Math.max(xForwardedFor.hops, 1));
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

function schemeOf(text = ""): Scheme | undefined {
  return (["http", "https"] as const).find((scheme) => scheme === text.toLowerCase());
}

/** Returns the items of a list header (RFC 9110, section 5.6.1), last item first. */
function itemsFromRight(header: string | string[] = ""): string[] {
  const items = String(header).split(",").toReversed();
  return items.map((item) => item.trim()).filter((item) => item !== "");
}

/**
 * Returns the elements of `Forwarded` (RFC 7239, section 4), last element first, up to a malformed one. It reads from the right,
 * since an unclosed quote from a client would hide the elements that proxies add behind it.
 */
function elementsFromRight(header: string): Map<string, string>[] {
  const elements: Map<string, string>[] = [];
  for (let end = header.length; end > 0 && elements.length < MAX_PROXIES;) {
    let start = end;
    let element: Map<string, string> | undefined;
    while (element === undefined && start > 0 && end - start <= MAX_ELEMENT_LENGTH) {
      start = header.lastIndexOf(",", start - 1); // a comma inside quotes leaves a text that is not an element
      element = parseElement(header.slice(start + 1, end));
    }
    if (element === undefined) break;
    if (element.size > 0) elements.push(element);
    end = start;
  }
  return elements;
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

/** A name of at most 253 characters (RFC 1035, section 2.3.4) or an address, with an optional port. */
const PUBLIC_HOST = /^(\[[0-9A-Fa-f.:]{2,45}\]|[\w.-]{1,253})(:\d{1,5})?$/;

/** The headers that proxies add. If one is present and no trusted proxy reports the scheme, the scheme is unknown. */
const PROXY_HEADERS = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"];

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
