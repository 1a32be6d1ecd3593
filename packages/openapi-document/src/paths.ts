/** Returns the parameter names of a path template, in order. */
export function parameterNames(path: string): string[] {
  return Array.from(path.matchAll(/\{([^}]+)\}/g), (match) => match[1]!);
}

/**
 * Decodes unreserved characters, so that `%70ets` is `pets` (RFC 9110, section 4.2.3; RFC 3986, section 6.2.2). Other
 * escapes remain, in upper case.
 */
export function normalizePath(path: string): string {
  return path.replace(/%[\da-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
  });
}

/**
 * Percent-encodes a segment of a template (RFC 3986, section 2.1), except for its braces. A question mark or a number
 * sign in a template belongs to the path, so a request has it encoded.
 */
export function encodeSegment(segment: string): string {
  const escaped = segment.includes("%") ? normalizePath(segment) : encodeURI(segment);
  return escaped.replaceAll("%7B", "{").replaceAll("%7D", "}").replaceAll("?", "%3F").replaceAll("#", "%23");
}
