import { type ErrorBody, errorBody } from "./errors.ts";

/** The fields of a handler's input that `page` reads. */
interface PageInput {
  query: { limit: number; cursor?: string } & Record<string, unknown>;
  requestPath: string;
}

/** A range of rows in the order of their ids: at most `limit`, after the id `after` or from the first row. */
export interface Slice {
  limit: number;
  after: number | undefined;
}

/** A response with one page. Its `Link` (RFC 8288) points to the next page, if there is one. */
interface Page<Row> {
  status: 200;
  headers: { Link?: string };
  body: Row[];
}

/**
 * Returns one page of the rows that `find` returns, in the order of ids. `limit` and `cursor` are query parameters. The link to
 * the next page repeats all other query parameters, with one `name=value` per item of an array (OpenAPI's default). Throws for a
 * limit below 1 and for a query parameter that is an object.
 */
export async function page<Row extends { id: number }>(
  { query, requestPath }: PageInput,
  find: (slice: Slice) => Promise<Row[]>,
): Promise<Page<Row> | { status: 400; body: ErrorBody }> {
  const { limit, cursor } = query;
  if (!(limit >= 1))
    throw new RangeError(`A page cannot have ${limit} rows. Declare minimum: 1 for "limit" in the contract.`);
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  if (cursor !== undefined && after === undefined)
    return { status: 400, body: errorBody("invalid_request", UNKNOWN_CURSOR) };
  const found = await find({ limit: limit + 1, after });
  const rows = found.slice(0, limit);
  if (found.length === rows.length) return { status: 200, headers: {}, body: rows };
  const next = new URLSearchParams(queryPairs({ ...query, cursor: encodeCursor(rows.at(-1)!.id) }));
  const path = requestPath.replace(/[<>"]/g, encodeURIComponent);
  return { status: 200, headers: { Link: `<${path}?${next.toString()}>; rel="next"` }, body: rows };
}

const UNKNOWN_CURSOR = 'Query parameter "cursor" is not a cursor returned by this service. Start again without it.';

function queryPairs(query: Record<string, unknown>): [string, string][] {
  return Object.entries(query).flatMap(([name, value]) => {
    const values = value === undefined ? [] : [value].flat();
    return values.map((item): [string, string] => {
      if (typeof item === "string" || typeof item === "number" || typeof item === "boolean")
        return [name, String(item)];
      throw new TypeError(
        `page() cannot write the object "${name}" into a link. Declare it as a string, number, boolean or list.`,
      );
    });
  });
}

/** Returns a cursor for the rows after this id. It starts with the version of its format; clients treat it as opaque. */
export function encodeCursor(afterId: number): string {
  return Buffer.from(`1:${afterId}`).toString("base64url");
}

/** Returns the id in a cursor, or undefined for a string that `encodeCursor` never returns. */
export function decodeCursor(cursor: string): number | undefined {
  const id = /^1:(-?\d{1,16})$/.exec(Buffer.from(cursor, "base64url").toString("latin1"))?.[1];
  if (id === undefined) return undefined;
  const afterId = Number(id);
  return Number.isSafeInteger(afterId) && encodeCursor(afterId) === cursor ? afterId : undefined;
}
