/** How a client treats a body: it saves an attachment, and shows an inline one. */
export type Disposition = "attachment" | "inline";

/**
 * Returns the value of `Content-Disposition` (RFC 6266). The name is sent without folders and control
 * characters. A name beyond ASCII is sent twice: with `?` for other characters, and as `filename*` (RFC 8187).
 */
export function contentDisposition(disposition: Disposition, name: string | undefined): string {
  if (name === undefined) return disposition;
  const file = name
    .toWellFormed()
    .replace(/^.*[/\\]/s, "")
    .replaceAll(/\p{Cc}/gu, "");
  const ascii = file.replaceAll(/[^\x20-\x7e]/gu, "?");
  const value = `${disposition}; filename="${ascii.replaceAll('"', "'")}"`;
  // Some clients decode a percent sign in `filename` (RFC 6266, appendix D).
  return ascii === file && !/["%]/.test(file) ? value : `${value}; filename*=UTF-8''${encode(file)}`;
}

/** Encodes all but the characters of `attr-char` (RFC 8187, section 3.2.1). */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(/['()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}
