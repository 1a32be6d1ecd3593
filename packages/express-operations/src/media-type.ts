import { MIMEType } from "node:util";

const MAX_LENGTH = 256;

/** A media type in one spelling: lower case, `charset=utf-8` left out (it is the only one read), other parameters sorted. */
export interface MediaType {
  essence: string;
  /** The essence with the parameters that tell declared media types apart. */
  canonical: string;
  boundary: string | undefined;
}

/** Reads a Content-Type (RFC 9110, section 8.3); undefined when it is malformed, overlong or in another charset than UTF-8. */
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

/** The one of the declared media types or ranges that a media type falls under, the most specific first. */
export function declaredAs(type: MediaType, declared: readonly string[]): string | undefined {
  const [major] = type.essence.split("/");
  return (
    declared.find((key) => parseMediaType(key)?.canonical === type.canonical) ??
    declared.find((key) => key === `${major}/*`) ??
    declared.find((key) => key === "*/*")
  );
}

/** Whether a media type is JSON by name or by suffix (RFC 6839). */
export function isJson(essence: string): boolean {
  return essence === "application/json" || essence.endsWith("+json");
}

/** What a well-formed media type says ahead of its parameters, in lower case. */
export function essenceOf(mediaType: string): string {
  return mediaType.split(";", 1)[0]!.trim().toLowerCase();
}
