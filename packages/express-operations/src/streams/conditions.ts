import type { IncomingHttpHeaders } from "node:http";
import { isStrong, listsTag } from "../response/conditions.ts";

/** The validators of a representation (RFC 9110, section 8.8). */
export interface Validators {
  etag: string | undefined;
  /** An HTTP date. */
  lastModified: string | undefined;
}

/**
 * Evaluates the conditions of a GET or HEAD in the order of RFC 9110, section 13.2.2: whether to send the representation,
 * 304 or 412.
 */
export function evaluateConditions(headers: IncomingHttpHeaders, validators: Validators): "send" | 304 | 412 {
  const { etag, lastModified } = validators;
  const modifiedAt = secondsOf(lastModified);
  const ifMatch = headers["if-match"];
  const ifNoneMatch = headers["if-none-match"];
  const unmodifiedSince = secondsOf(headers["if-unmodified-since"]);
  const modifiedSince = secondsOf(headers["if-modified-since"]);
  if (ifMatch !== undefined) {
    if (!listsTag(ifMatch, etag, isStrong)) return 412;
  } else if (modifiedAt !== undefined && unmodifiedSince !== undefined && modifiedAt > unmodifiedSince) return 412;
  if (ifNoneMatch !== undefined) return listsTag(ifNoneMatch, etag, () => true) ? 304 : "send";
  return modifiedAt !== undefined && modifiedSince !== undefined && modifiedAt <= modifiedSince ? 304 : "send";
}

/** Whether `If-Range` allows a part of the representation (RFC 9110, section 13.1.5). */
export function allowsRange(ifRange: string | undefined, { etag, lastModified }: Validators): boolean {
  if (ifRange === undefined) return true;
  if (ifRange.includes('"')) return etag !== undefined && isStrong(etag) && ifRange.trim() === etag;
  return lastModified !== undefined && secondsOf(ifRange) === secondsOf(lastModified);
}

/** The three notations of an HTTP date (RFC 9110, section 5.6.7). All are in GMT. Other dates are ignored. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? .* \d\d:\d\d:\d\d(?: GMT| \d{4})$/;

function secondsOf(date: string | undefined): number | undefined {
  if (date === undefined || !HTTP_DATE.test(date)) return undefined;
  const time = Date.parse(date.endsWith("GMT") ? date : `${date} GMT`);
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}
