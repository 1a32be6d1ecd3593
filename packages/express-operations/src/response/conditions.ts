/** Whether a GET gets 304: `If-None-Match` has the tag by weak comparison (RFC 9110, section 13.1.2). */
export function isNotModified(ifNoneMatch: string | undefined, tag: string): boolean {
  return ifNoneMatch !== undefined && listsTag(ifNoneMatch, tag, () => true);
}

/**
 * Whether `If-Match` allows to change a resource: it is missing, or it has the tag by strong comparison (RFC 9110, section
 * 13.1.1). Without a tag, the resource does not exist.
 */
export function isMatch(ifMatch: string | undefined, tag: string | undefined): boolean {
  return ifMatch === undefined || (tag !== undefined && listsTag(ifMatch, tag, isStrong));
}

/** Whether a list of entity tags has a tag. `*` has any, because the representation exists. */
export function listsTag(header: string, etag: string | undefined, mayMatch: (listed: string) => boolean): boolean {
  if (header.trim() === "*") return true;
  if (etag === undefined || !mayMatch(etag)) return false;
  const listed = header.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return listed.some((tag) => mayMatch(tag) && opaqueTag(tag) === opaqueTag(etag));
}

export function isStrong(tag: string): boolean {
  return !tag.startsWith("W/");
}

function opaqueTag(tag: string): string {
  return tag.replace(/^W\//, "");
}
