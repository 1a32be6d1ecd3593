/** A part of a representation, by the offsets of its first and last byte. */
export interface ByteRange {
  first: number;
  last: number;
}

/**
 * Returns the single range that a `Range` header asks for (RFC 9110, section 14.1.2), or `"unsatisfiable"`. Undefined
 * stands for the whole representation: the header is malformed, has another unit or asks for several ranges.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | "unsatisfiable" | undefined {
  const [, from = "", to = ""] = /^bytes=[\t ]*(\d*)-(\d*)[\t ]*$/i.exec(header ?? "") ?? [];
  if (from === "" && to === "") return undefined;
  if (from === "") {
    const length = Math.min(Number(to), size);
    return length === 0 ? "unsatisfiable" : { first: size - length, last: size - 1 };
  }
  const first = Number(from);
  if (to !== "" && Number(to) < first) return undefined;
  if (first >= size) return "unsatisfiable";
  return { first, last: to === "" ? size - 1 : Math.min(Number(to), size - 1) };
}
