import { type ErrorBody, errorBody } from "./errors.ts";

/** What is read of a handler's input. */
interface PageInput {
  query: { limit: number; cursor?: string } & Record<string, unknown>;
  requestPath: string;
}

/** Which rows to find, in the order of their ids: at most `limit`, after the one with the id `after` or from the first. */
export interface Slice {
  limit: number;
  after: number | undefined;
}

/** A page, whose `Link` (RFC 8288) leads to the next while there is one. */
interface Page<Row> {
  status: 200;
  headers: { Link?: string };
  body: Row[];
}

/**
 * Answers with one page of what `find` gives, in the order of ids. `limit` and `cursor` are query parameters; the link to the
 * next page repeats the others, each item of a list by itself, as OpenAPI serialises them by default. Throws for a limit below 1
 * and for parameters that are objects.
 */
export async function page<Row extends { id: number }>(
  { query, requestPath }: PageInput,
  find: (slice: Slice) => Promise<Row[]>,
): Promise<Page<Row> | { status: 400; body: ErrorBody }> {
  const { limit, cursor } = query;
  if (!(limit >= 1)) throw new RangeError(`A page of ${limit} cannot be made. Declare minimum: 1 for "limit".`);
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  if (cursor !== undefined && after === undefined)
    return { status: 400, body: errorBody("invalid_request", CURSOR_UNKNOWN) };
  const found = await find({ limit: limit + 1, after });
  const rows = found.slice(0, limit);
  if (found.length === rows.length) return { status: 200, headers: {}, body: rows };
  const next = new URLSearchParams(pairsOf({ ...query, cursor: encodeCursor(rows.at(-1)!.id) }));
  const path = requestPath.replace(/[<>"]/g, encodeURIComponent);
  return { status: 200, headers: { Link: `<${path}?${next.toString()}>; rel="next"` }, body: rows };
}

const CURSOR_UNKNOWN = 'Query parameter "cursor" is not a cursor returned by this service. Start again without it.';

function pairsOf(query: Record<string, unknown>): [string, string][] {
  return Object.entries(query).flatMap(([name, value]) => {
    const values = value === undefined ? [] : [value].flat();
    return values.map((item): [string, string] => {
      if (typeof item === "string" || typeof item === "number" || typeof item === "boolean")
        return [name, String(item)];
      throw new TypeError(`page() cannot repeat the object "${name}" in a link.`);
    });
  });
}

/** A cursor that means "after the row with this id". It carries a version; clients take it as it is. */
export function encodeCursor(afterId: number): string {
  return Buffer.from(`1:${afterId}`).toString("base64url");
}

/** The id that a cursor stands for; undefined for a text that `encodeCursor` does not give. */
export function decodeCursor(cursor: string): number | undefined {
  const id = /^1:(-?\d{1,16})$/.exec(Buffer.from(cursor, "base64url").toString("latin1"))?.[1];
  if (id === undefined) return undefined;
  const afterId = Number(id);
  return Number.isSafeInteger(afterId) && encodeCursor(afterId) === cursor ? afterId : undefined;
}
