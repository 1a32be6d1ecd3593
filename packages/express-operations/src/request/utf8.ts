const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/** Returns the text of bytes in UTF-8, without a byte order mark; undefined if the bytes are not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return UTF_8.decode(bytes);
  } catch {
    return undefined;
  }
}
