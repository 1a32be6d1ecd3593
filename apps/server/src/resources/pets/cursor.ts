/** A cursor that means "after the animal with this id". Its text is nobody's business but ours, and carries a version. */
export function encodeCursor(afterId: number): string {
  return Buffer.from(`1:${afterId}`).toString("base64url");
}

/** The id a cursor stands for; undefined when the text is none that `encodeCursor` wrote. */
export function decodeCursor(cursor: string): number | undefined {
  const id = /^1:(-?\d{1,16})$/.exec(Buffer.from(cursor, "base64url").toString("latin1"))?.[1];
  if (id === undefined) return undefined;
  const afterId = Number(id);
  return Number.isSafeInteger(afterId) && encodeCursor(afterId) === cursor ? afterId : undefined;
}
