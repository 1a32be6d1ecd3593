import { hash } from "node:crypto";

/** A strong entity tag (RFC 9110, section 8.8.3): 128 bits of a hash of the very bytes. */
export function entityTagOf(payload: string | Uint8Array): string {
  return `"${hash("sha256", payload, "base64url").slice(0, 22)}"`;
}

/** Whether `If-None-Match` names this tag, so that 304 answers a GET (RFC 9110, section 13.1.2: compared weakly). */
export function isNamed(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === "*" || (ifNoneMatch.match(/"[^"]*"/g)?.includes(tag) ?? false);
}
