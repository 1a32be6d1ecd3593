/** A parameter of a link: a name and a value, which is a quoted string or a token. */
const PARAMETER = /\s*;\s*([^\s=;,"]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s";,]+)))?/g;
const LINK = new RegExp(`<([^>]*)>((?:${PARAMETER.source})*)`, "g");

/**
 * Returns the target of the first link with this relation type in the `Link` header (RFC 8288, section 3), unresolved. Links
 * with an `anchor` are ignored, because they describe another resource.
 */
export function linkTo(relation: string, headers: Headers | undefined): string | undefined {
  for (const [, target, text = ""] of (headers?.get("Link") ?? "").matchAll(LINK)) {
    const parameters = [...text.matchAll(PARAMETER)];
    const parameter = (searched: string) => parameters.find(([, name]) => name?.toLowerCase() === searched);
    const [, , quoted, token = ""] = parameter("rel") ?? [];
    if ((quoted ?? token).toLowerCase().split(/\s+/).includes(relation) && !parameter("anchor")) return target;
  }
  return undefined;
}
