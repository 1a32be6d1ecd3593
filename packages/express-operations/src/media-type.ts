import { MIMEType } from "node:util";

const MAX_LENGTH = 256;

/**
 * A normalized media type: lower case, parameters sorted, without `charset=utf-8`, because no other charset is
 * supported.
 */
export interface MediaType {
  essence: string;
  /** The essence and the parameters that distinguish declared media types. */
  canonical: string;
  boundary: string | undefined;
}

/**
 * Parses a Content-Type (RFC 9110, section 8.3). Returns undefined if it is malformed, too long or in a charset other
 * than UTF-8.
 */
export function parseMediaType(text: string): MediaType | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  let type: MIMEType;
  try {
    type = new MIMEType(text);
  } catch {
    return undefined;
  }
  const charset = type.params.get("charset")?.toLowerCase();
  if (charset !== undefined && charset !== "utf-8") return undefined;
  const boundary = type.params.get("boundary") ?? undefined;
  const parameters = [...type.params].filter(([name]) => name !== "charset" && name !== "boundary");
  const sorted = parameters.map(([name, value]) => `; ${name}=${value}`).toSorted();
  return { essence: type.essence, canonical: type.essence + sorted.join(""), boundary };
}

/**
 * Returns the declared media type or range that a media type matches. The most specific one wins. With `vendorTypes`, a
 * vendor type matches the type of its suffix (RFC 6838, sections 3.2 and 4.2.8).
 */
export function declaredAs(type: MediaType, declared: readonly string[], vendorTypes = false): string | undefined {
  const [major, minor = ""] = type.essence.split("/");
  const suffix = minor.slice(minor.lastIndexOf("+") + 1);
  return (
    declared.find((key) => parseMediaType(key)?.canonical === type.canonical) ??
    (vendorTypes ? declared.find((key) => key === withoutVendor(type.essence)) : undefined) ??
    declared.find((key) => key === `${major}/*+${suffix}`) ?? // no range of RFC 9110, but frequent
    declared.find((key) => key === `${major}/*`) ??
    declared.find((key) => key === "*/*")
  );
}

/** Returns the type of a vendor type's suffix: `application/json` for `application/vnd.shop+json`. */
export function withoutVendor(essence: string): string {
  return essence.replace(/\/vnd\.[^/]*\+/, "/");
}
