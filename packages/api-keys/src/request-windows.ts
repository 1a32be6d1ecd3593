import { DatabaseError } from "@openapi-operations/storage/database-error";
import { preparedFirst } from "@openapi-operations/storage/prepared";
import { type Kysely, sql } from "kysely";

/** The time between two deletions of ended windows from the database, in milliseconds. */
const DELETE_EVERY_MS = 300_000;

/** A limit of `requests` per `seconds`. */
export interface RateLimit {
  requests: number;
  seconds: number;
}

/** The current window of a counter. */
export interface RequestWindow {
  requests: number;
  /** Its end by `performance.now()`, the monotonic clock of this process. It is at most the length of a window away. */
  endsAt: number;
}

/** Counts requests in windows of one length. The first request of a counter begins its window. */
export interface RequestWindows {
  /** Counts a request. Returns the window with this request. */
  count: (counter: string) => RequestWindow | Promise<RequestWindow>;
  /** Returns the current window, if any. Counts nothing. */
  find: (counter: string) => RequestWindow | undefined | Promise<RequestWindow | undefined>;
}

/** Returns windows in the memory of this process. */
export function windowsInMemory({ seconds }: RateLimit) {
  const windows = new Map<string, RequestWindow>();
  const find = (counter: string): RequestWindow | undefined => {
    const now = performance.now();
    for (const [oldest, { endsAt }] of windows) {
      if (endsAt > now) break;
      windows.delete(oldest);
    }
    const window = windows.get(counter);
    return window !== undefined && window.endsAt > now ? window : undefined;
  };
  return {
    find,
    count: (counter: string): RequestWindow => {
      const window = find(counter) ?? { requests: 0, endsAt: performance.now() + seconds * 1_000 };
      window.requests++;
      windows.set(counter, window);
      return window;
    },
    keep: (counter: string, window: RequestWindow): void => void windows.set(counter, window),
  } satisfies RequestWindows & Record<string, unknown>;
}

/**
 * Returns windows in the database, by its clock, since the clocks of hosts differ. A row that ends later than two windows from now
 * counts as ended: an earlier version has written it by its host's clock, or the clock of the database was set back.
 */
export function windowsInDatabase(db: Kysely<any>, limit: RateLimit): RequestWindows {
  const windowMs = limit.seconds * 1_000;
  const rejected = windowsInMemory(limit); // beyond the limit, this process needs no query
  const { countIn, findIn } = queries(windowMs);
  let deletedAt = performance.now();
  const toWindow = ({ points, left }: Row): RequestWindow => ({
    requests: points,
    endsAt: performance.now() + Math.min(left, windowMs),
  });
  const deleteEnded = (): void => {
    if (performance.now() < deletedAt + DELETE_EVERY_MS) return;
    deletedAt = performance.now();
    sql`delete from rate_limits where expire < ${NOW}`.execute(db).catch(() => {}); // the next time deletes them
  };
  return {
    count: async (counter) => {
      const known = rejected.find(counter);
      if (known !== undefined) return known;
      deleteEnded();
      const window = toWindow((await countIn(db, { counter }).catch(notCounted))!);
      if (window.requests > limit.requests) rejected.keep(counter, window);
      return window;
    },
    find: async (counter) => {
      const known = rejected.find(counter);
      if (known !== undefined) return known;
      const row = await findIn(db, { counter }).catch(notCounted);
      return row && toWindow(row);
    },
  };
}

interface Row {
  points: number;
  left: number;
}

/** The time of the database, in milliseconds since 1970. */
const NOW = sql`(extract(epoch from now()) * 1000)::bigint`;

function notCounted(cause: unknown): never {
  throw new DatabaseError("A request could not be counted.", { cause });
}

function queries(windowMs: number) {
  const length = sql.lit(windowMs);
  return {
    countIn: preparedFirst((_: Kysely<any>, { counter }: { counter: string }) => {
      const isCurrent = sql`each.expire > excluded.expire - ${length} and each.expire <= excluded.expire + ${length}`;
      return sql<Row>`
        with counted as (
          insert into rate_limits as each (key, points, expire) values (${counter}, 1, ${NOW} + ${length})
          on conflict (key) do update set
            points = case when ${isCurrent} then each.points + 1 else 1 end,
            expire = case when ${isCurrent} then each.expire else excluded.expire end
          returning points, expire
        )
        select points, expire - ${NOW} as left from counted`;
    }),
    findIn: preparedFirst(
      (_: Kysely<any>, { counter }: { counter: string }) => sql<Row>`
        select points, expire - ${NOW} as left from rate_limits
        where key = ${counter} and expire - ${NOW} between 1 and 2 * ${length}`,
    ),
  };
}
