import { isIP, isIPv6, type Socket, SocketAddress } from "node:net";
import type { NextFunction, Request, Response } from "express";
import { problem } from "../problems.ts";
import { MOST_PROXIES } from "../settings.ts";

/** How long the target of a request may be, its path with its query, in characters. Node bounds it with the headers, at 16 KiB. */
export const MAX_TARGET = 8_192;

const NOT_IN_HTTP_1_0 = "HTTP/1.0 has no Transfer-Encoding. Send a Content-Length, or HTTP/1.1.";

/** Connections of which nobody can tell where the next request begins. */
const faultyConnections = new WeakSet<Socket>();

/** Refuses what HTTP forbids in the head of a request, and Node's parser lets through. */
export function checkHead(request: Request, _response: Response, next: NextFunction): void {
  next(framingFault(request) ?? hostFault(request) ?? targetFault(request));
}

/** RFC 9112, section 6.1: the connection is closed, and what follows on it is no request. */
function framingFault({ httpVersion, headers, socket }: Request) {
  if (httpVersion === "1.0" && headers["transfer-encoding"] !== undefined) faultyConnections.add(socket);
  if (!faultyConnections.has(socket)) return undefined;
  return problem("invalid_request", { Connection: "close" }, NOT_IN_HTTP_1_0);
}

/** RFC 9112, section 3.2, asks for this 400, for a Host that is missing or malformed as for two; Node's own has no body. */
function hostFault(request: Request) {
  const count = timesGiven(request, "host");
  const isRight = count === 0 ? request.httpVersion === "1.0" : count === 1 && isAuthority(request.headers.host!);
  return isRight
    ? undefined
    : problem("invalid_request", undefined, "Send one Host header, with the name or address of the service.");
}

function targetFault({ originalUrl }: Request) {
  return originalUrl.length > MAX_TARGET ? problem("uri_too_long") : undefined;
}

/** How often a request has a header. */
function timesGiven({ rawHeaders }: Request, lowerCaseName: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]!.toLowerCase() === lowerCaseName) count++;
  return count;
}

/** Where a request comes from, as far as the proxies that `TRUST_PROXY` names tell it. */
export interface Forwarded {
  /** The client's IP address in its canonical form, without a port; undefined only where the connection is gone. */
  address: string | undefined;
  /** The scheme of the URL that the client asked for; undefined where no trusted proxy tells it. */
  scheme?: Scheme | undefined;
  /** The `Host` that the client sent, in whatever form; undefined where no trusted proxy tells it. */
  host?: string | undefined;
  /** The clients that `Forwarded` and `X-Forwarded-For` name where they differ. Neither counts then: one may be forged. */
  claimed?: (string | undefined)[];
}

type Scheme = "http" | "https";

/** Express's compiled setting `trust proxy`: whether to believe the proxy at an address, so many hops from here. */
type IsTrusted = (address: string | undefined, hop: number) => boolean;

/** In characters, more than a proxy writes of one hop. */
const LONGEST_ELEMENT = 256;

/**
 * The client's address, scheme and host by `Forwarded` (RFC 7239), or `X-Forwarded-For`, `-Proto` and `-Host`, where trusted
 * proxies wrote them; else the address of the connection. The headers are read from the right, where the nearest proxy wrote, to
 * the first address that is not trusted, so that nothing a client puts before counts. A hop whose address is hidden
 * (`unknown`, `_name`) or malformed ends the reading: the client is then the proxy that wrote it.
 */
export function forwardedOf(request: Request): Forwarded {
  const { socket, headers } = request;
  const isTrusted = request.app.get("trust proxy fn") as IsTrusted;
  const peer = peerAddress(socket.remoteAddress);
  if (!isTrusted(peer, 0)) return { address: peer };

  const elements = take(MOST_PROXIES, elementsFromRight(headers["forwarded"] ?? ""));
  const nodes = take(MOST_PROXIES, itemsFromRight(headers["x-forwarded-for"]));
  const standard = follow(
    peer,
    elements.map((element) => element.get("for")),
    isTrusted,
  );
  const usual = follow(peer, nodes, isTrusted);
  const isInBoth = elements.length > 0 && nodes.length > 0;
  if (isInBoth && standard.address !== usual.address) {
    return { address: peer, claimed: [standard.address, usual.address] };
  }
  const told = (parameter: string, header: string): string | undefined => {
    const items = take(Math.max(usual.hops, 1), itemsFromRight(headers[header]));
    return elements[standard.hops - 1]?.get(parameter) ?? items.at(-1); // there is one only where proxies replace it
  };
  return {
    address: elements.length > 0 ? standard.address : usual.address,
    scheme: schemeOf(told("proto", "x-forwarded-proto")),
    host: told("host", "x-forwarded-host"),
  };
}

/** Goes from one trusted proxy to the one before, and gives the address where that ends, and after how many hops. */
function follow(peer: string | undefined, nodes: (string | undefined)[], isTrusted: IsTrusted) {
  let address = peer;
  let hops = 0;
  while (hops < nodes.length && isTrusted(address, hops)) {
    const before = addressOf(nodes[hops++]);
    if (before === undefined) break;
    address = before;
  }
  return { address, hops };
}

/** The address in a node of RFC 7239, section 6, or in what `X-Forwarded-For` has for one, which may lack the brackets. */
function addressOf(node = ""): string | undefined {
  if (node.length > LONGEST_ELEMENT) return undefined;
  const [, inBrackets, v4] = /^(?:\[([^\]]+)\]|([\d.]+))(?::(?:\d{1,5}|_[\w.-]+))?$/.exec(node) ?? [];
  const address = inBrackets ?? v4 ?? node;
  if (!isIPv6(address)) return isIP(address) === 4 ? address : undefined;
  const [withoutZone = ""] = address.split("%");
  return peerAddress(new SocketAddress({ family: "ipv6", address: withoutZone }).address);
}

/** The address that a socket gives, without an interface, an IPv4 address as such where the socket is of both families. */
function peerAddress(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:(?=[\d.]+$)|%.*$/g, "");
}

function schemeOf(text = ""): Scheme | undefined {
  return (["http", "https"] as const).find((scheme) => scheme === text.toLowerCase());
}

/** The items of a list header (RFC 9110, section 5.6.1), the last one first. */
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
 * The elements of `Forwarded` (RFC 7239, section 4), the last one first, up to one that is malformed. From the right, since a
 * quote that a client has left open would hide what a proxy has added.
 */
function* elementsFromRight(header: string): Generator<Map<string, string>> {
  for (let end = header.length; end > 0;) {
    let start = end;
    let element: Map<string, string> | undefined;
    while (element === undefined && start > 0 && end - start <= LONGEST_ELEMENT) {
      start = header.lastIndexOf(",", start - 1); // it may stand in quotes, and then what follows is no element
      element = parseElement(header.slice(start + 1, end));
    }
    if (element === undefined) return;
    if (element.size > 0) yield element;
    end = start;
  }
}

const PAIR = /[ \t]*([!#$%&'*+.^`|~\w-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;=\\]+))[ \t]*(?:;|$)/y;

/** The parameters of an element by their names in lower case; undefined for a malformed one. A value may hold `:` and `[]` bare. */
function parseElement(text: string): Map<string, string> | undefined {
  const element = new Map<string, string>();
  if (text.length > LONGEST_ELEMENT) return undefined;
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
