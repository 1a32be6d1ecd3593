/** A parameter of a link: its name, and its value as a quoted string or a token. */
const PARAMETER = /\s*;\s*([^\s=;,"]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s";,]+)))?/g;
const LINK = new RegExp(`<([^>]*)>((?:${PARAMETER.source})*)`, "g");

/**
 * The target of the first link with a relation type in the `Link` header (RFC 8288, section 3), as it stands there.
 * A link with an `anchor` is about something else and does not count.
 */
export function linkTo(relation: string, headers: Headers | undefined): string | undefined {
  for (const [, target, text = ""] of (headers?.get("Link") ?? "").matchAll(LINK)) {
    const parameters = [...text.matchAll(PARAMETER)];
    const find = (wanted: string) => parameters.find(([, name]) => name?.toLowerCase() === wanted);
    const [, , quoted, token = ""] = find("rel") ?? [];
    if ((quoted ?? token).toLowerCase().split(/\s+/).includes(relation) && !find("anchor")) return target;
  }
  return undefined;
}
