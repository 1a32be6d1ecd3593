import type { IncomingHttpHeaders } from "node:http";
import { createProblem, Problem } from "../problem.ts";
import { allowsRange, evaluateConditions } from "./conditions.ts";
import type { Headers } from "../response/handler-response.ts";

/** A part of a representation, by the offsets of its first and last byte. */
export interface ByteRange {
  first: number;
  last: number;
}

/** Bytes of known size, which can be read from any offset. */
export interface Representation {
  size: number;
  /** Its validators, and other headers that a handler may override. */
  headers: Record<string, string>;
  read: (range: ByteRange) => AsyncIterable<Uint8Array>;
  close: () => Promise<void>;
}

/** The head of a response with a representation, and the bytes to send. */
interface Selection {
  status: number;
  headers: Headers;
  /** Undefined if the response has no body. */
  range: ByteRange | undefined;
}

/** Returns the representation of a `Blob`. It has no validators of its own. */
export function blobRepresentation(blob: Blob): Representation {
  return {
    size: blob.size,
    headers: {},
    read: ({ first, last }) => blob.slice(first, last + 1).stream(),
    close: async () => {},
  };
}

/**
 * Selects the response to a request: whole (200), a part (206) or 304. Throws the 412 of a failed condition and the 416 of an
 * unsatisfiable range. Only a GET or HEAD that would get 200 has conditions and ranges (RFC 9110, sections 13.2.1 and 14.2).
 */
export function select(
  { method, headers: received }: { method: string; headers: IncomingHttpHeaders },
  { size, headers: own }: Representation,
  { status, headers: given }: { status: number; headers: Headers },
): Selection {
  const whole = { first: 0, last: size - 1 };
  const length = { "Content-Length": String(size) };
  const isConditional = status === 200 && (method === "GET" || method === "HEAD");
  if (!isConditional) {
    const { ETag: _, "Last-Modified": __, ...others } = own;
    return { status, headers: { ...withoutOverridden(others, given), ...given, ...length }, range: whole };
  }
  const headers = { "Accept-Ranges": "bytes", ...withoutOverridden(own, given), ...given };
  const validators = { etag: headerOf(headers, "etag"), lastModified: headerOf(headers, "last-modified") };
  const outcome = evaluateConditions(received, validators);
  if (outcome === 412)
    throw createProblem(412, "This resource does not meet the conditions of the request. Read it again without them.");
  if (outcome === 304) return { status: 304, headers: withoutContent(headers), range: undefined };
  const ifRange = received["if-range"] as string | undefined; // Node joins repeated lines of it
  const range = method === "GET" && allowsRange(ifRange, validators) ? rangeOf(received.range, size) : undefined;
  if (range === undefined) return { status, headers: { ...headers, ...length }, range: whole };
  if (range === "unsatisfiable") {
    const message = `This resource has ${size} bytes, and Range asks for none of them.`;
    throw new Problem(416, "range_not_satisfiable", message, { "Content-Range": `bytes */${size}` });
  }
  const { first, last } = range;
  const part = { "Content-Range": `bytes ${first}-${last}/${size}`, "Content-Length": String(last - first + 1) };
  return { status: 206, headers: { ...headers, ...part }, range };
}

/** Headers of a handler take precedence, in any case of letters. */
function withoutOverridden(own: Record<string, string>, given: Headers): Headers {
  const names = new Set(Object.keys(given).map((name) => name.toLowerCase()));
  return Object.fromEntries(Object.entries(own).filter(([name]) => !names.has(name.toLowerCase())));
}

/** A 304 has no headers of the content (RFC 9110, section 15.4.5). */
function withoutContent(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^content-(?!location)/i.test(name)));
}

function headerOf(headers: Headers, name: string): string | undefined {
  const found = Object.keys(headers).find((candidate) => candidate.toLowerCase() === name);
  return found === undefined ? undefined : String(headers[found]);
}

/**
 * Returns the single range that a `Range` header asks for (RFC 9110, section 14.1.2), or `"unsatisfiable"`. Undefined
 * stands for the whole representation: the header is malformed, has another unit or asks for several ranges.
 */
function rangeOf(header: string | undefined, size: number): ByteRange | "unsatisfiable" | undefined {
  const [, from = "", to = ""] = /^bytes=[\t ]*(\d*)-(\d*)[\t ]*$/i.exec(header ?? "") ?? [];
  if (from === "" && to === "") return undefined;
  if (from === "") {
    const length = Math.min(Number(to), size);
    return length === 0 ? "unsatisfiable" : { first: size - length, last: size - 1 };
  }
  const first = Number(from);
  if (to !== "" && Number(to) < first) return undefined;
  if (first >= size) return "unsatisfiable";
  return { first, last: to === "" ? size - 1 : Math.min(Number(to), size - 1) };
}
