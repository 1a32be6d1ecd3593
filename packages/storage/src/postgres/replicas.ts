import { setImmediate, setTimeout } from "node:timers/promises";
import { Kysely, sql } from "kysely";
import type { Logger } from "pino";
import { DatabaseError } from "../database-error.ts";
import { useAndClose } from "../database.ts";
import { preparedFirst } from "../prepared.ts";
import type { Replicas, Storage } from "../storage.ts";
import { hostUrlsOf } from "../url.ts";
import type { PoolOptions } from "./postgres.pool.ts";
import { postgresDialect, type PostgresPoolAdapter } from "./postgres.dialect.ts";
import { positionAt, SERVER, TIMELINE, TIMELINE_LENGTH } from "./standing.ts";

/** How often each process asks every server for its position, in milliseconds. */
const INTERVAL_MS = 100;
/** How long the data of a replica may have been out of date at a read, in milliseconds. */
const MAX_STALENESS_MS = 1_000;
/** How long a replica may take to respond or to accept a connection, in milliseconds. */
const DEADLINE_MS = 500;
/** How long a replica is not read from after it has failed, in milliseconds. */
const PAUSE_MS = 2_000;
/** The shortest time between two log lines about a replica, in milliseconds. */
const LOG_INTERVAL_MS = 10_000;

const BEHIND = "It is more than a second behind.";
const STRAY = "It may have writes that the primary lacks.";

/** The state of a server. */
interface Standing {
  /** Its position in the log. Positions compare as strings. */
  position: string;
  /** The identity of its database, which a primary shares with its replicas. */
  database: string;
}

/** The state of the primary, and when it was asked for it, by the clock of this process. */
interface Sample extends Standing {
  at: number;
  /** Changes when another server becomes the primary. */
  timeline: string;
}

const DATABASE = sql`(select system_identifier from pg_control_system()) || '/' ||
  (select oid from pg_database where datname = current_database()) as database`;

/** Asks for the position to which the log is on disk, as it is for all that was acknowledged. */
const standingOfPrimary = preparedFirst(
  () => sql<Omit<Sample, "at">>`select ${sql.raw(positionAt("pg_current_wal_flush_lsn()"))} as position, ${DATABASE},
    ${sql.raw(TIMELINE)} as timeline`,
);

const standingOfReplica = preparedFirst(
  () => sql<Standing & { replays: boolean; server: string }>`
    select ${sql.raw(positionAt("pg_last_wal_replay_lsn()"))} as position, ${DATABASE}, pg_is_in_recovery() as replays, ${sql.raw(SERVER)}`,
);

/** Returns the state of a server. Throws `DatabaseError` if it has other data than the primary. */
async function examine(db: Kysely<any>, primary: Standing | undefined) {
  const standing = (await standingOfReplica(db, {}))!;
  if (primary !== undefined && primary.database !== standing.database)
    throw new DatabaseError("It has the data of another primary.");
  return standing;
}

/** What an examination of a server finds. It may be the primary, since a failover. */
interface Examined {
  host: string;
  isPrimary: boolean;
  fault?: string;
}

/** Examines each host of a URL as a replica of a primary. */
export function examineReplicas(url: string, replicasUrl: string): Promise<Examined[]> {
  return useAndClose(openPostgres(url), async (primary) => {
    const standing = (await standingOfPrimary(primary, {}))!;
    const end = performance.now() + MAX_STALENESS_MS;
    const examineHost = async (db: Kysely<any>, host: string): Promise<Examined> => {
      for (;;) {
        const { replays, position } = await examine(db, standing);
        if (!replays) return { host, isPrimary: true };
        const isAhead = position > (await standingOfPrimary(primary, {}))!.position; // no replica is
        if (isAhead) return { host, isPrimary: false, fault: STRAY };
        if (position >= standing.position) return { host, isPrimary: false };
        if (performance.now() > end) return { host, isPrimary: false, fault: BEHIND };
        await setTimeout(INTERVAL_MS);
      }
    };
    const examined = hostUrlsOf(replicasUrl).map((one) => {
      const { host } = URL.parse(one)!;
      const failed = (error: Error): Examined => ({ host, isPrimary: false, fault: error.message });
      const db = openPostgres(one, { connectMs: DEADLINE_MS });
      return useAndClose(db, () => examineHost(db, host).catch(failed));
    });
    return Promise.all(examined);
  });
}

function openPostgres(url: string, options?: PoolOptions): Kysely<any> {
  return new Kysely({ dialect: postgresDialect(url, options) });
}

/** The replicas of this process. */
const opened = new Set<Replica<any>>();

/** Returns the number of replicas that this process reads from. */
export function replicasRead(): number {
  return Array.from(opened).filter(({ isFresh }) => isFresh).length;
}

/**
 * Opens the replicas of a primary, one at each host of the URL. All clocks but that of this process may be wrong: a replica is as
 * fresh as the last time at which the primary was asked for a position that the replica has reached.
 */
export function openReplicas<Tables>(
  url: string,
  primary: Kysely<any>,
  logger: Logger,
): Replicas<Tables> & Pick<Storage<Tables>, "destroy"> {
  const closing = new AbortController();
  const samples: Sample[] = [];
  const replicas = hostUrlsOf(url).map((one) => new Replica<Tables>(one, primary, samples, logger));
  let last: Sample | undefined;
  const sample = async (): Promise<void> => {
    const at = performance.now();
    const standing = await standingOfPrimary(primary, {}).catch(() => undefined); // each request reports it
    while (samples.length > 0 && samples[0]!.at < at - MAX_STALENESS_MS) samples.shift();
    if (standing === undefined) return;
    if (last !== undefined && (standing.timeline !== last.timeline || standing.position < last.position)) {
      samples.length = 0;
      for (const replica of replicas) replica.distrust();
    }
    last = { ...standing, at };
    samples.push(last);
  };
  for (const step of [sample, ...replicas.map((replica) => () => replica.update())]) void repeat(step, closing.signal);
  for (const replica of replicas) opened.add(replica);
  let next = 0;
  return {
    find: (token = "") => {
      // A later primary may have made other writes at positions that a replica of the former one has reached.
      if (token.slice(0, TIMELINE_LENGTH) > (last?.timeline ?? "")) return undefined;
      const position = token.slice(TIMELINE_LENGTH);
      for (const _ of replicas) {
        const replica = replicas[next++ % replicas.length]!;
        if (replica.isFresh && replica.position >= position) return replica.db;
      }
      return undefined;
    },
    isFresh: (db) => replicas.find((replica) => replica.db === db)?.isFresh === true,
    destroy: async () => {
      closing.abort();
      for (const replica of replicas) opened.delete(replica);
      await Promise.all(replicas.map((replica) => replica.destroy()));
    },
  };
}

async function repeat(step: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await step();
    await setTimeout(INTERVAL_MS, undefined, { ref: false, signal }).catch(() => {}); // rejects at the end
  }
}

class Replica<Tables> {
  readonly db: Kysely<Tables>;
  /** The last known position, or an empty string. */
  position = "";
  readonly #examined: Kysely<any>;
  readonly #samples: readonly Sample[];
  readonly #logger: Logger;
  /** When the primary was last asked for a position that this replica has reached. */
  #freshAt = -Infinity;
  /** When the replica returned its position. */
  #returnedAt = Infinity;
  /** Whether the primary has been as far as the replica since then. */
  #isConfirmed = false;
  /** A position that a replica of this primary goes beyond. One that is stuck has the log of a former primary. */
  #distrusted = "";
  /** When the replica may be read from after a failure. */
  #pausedUntil = -Infinity;
  /** When the examined server was started, which tells it from others behind the same address. */
  #server: string | undefined;
  #logged: { isFresh?: boolean; at: number } = { at: performance.now() + MAX_STALENESS_MS - LOG_INTERVAL_MS };

  constructor(url: string, primary: Kysely<any>, samples: readonly Sample[], logger: Logger) {
    const adapter = primary.getExecutor().adapter as PostgresPoolAdapter;
    this.#samples = samples;
    this.#logger = logger.child({ replica: URL.parse(url)!.host });
    this.#examined = openPostgres(url, { max: 1, connectMs: DEADLINE_MS });
    const replica = {
      server: () => this.#server,
      failed: (error: Error) => this.#fail(error.message),
      primary: () => adapter.pool!,
    };
    this.db = openPostgres(url, { connectMs: DEADLINE_MS, replica });
  }

  get isFresh(): boolean {
    const now = performance.now();
    return this.#freshAt >= now - MAX_STALENESS_MS && this.#pausedUntil < now;
  }

  /** Requires that the replica goes on, because another server has become the primary, whose log it may not have. */
  distrust(): void {
    if (this.position > this.#distrusted) this.#distrusted = this.position;
    this.#isConfirmed = false;
    this.#freshAt = -Infinity;
  }

  /** Asks the server for its position. Never rejects. */
  async update(): Promise<void> {
    if (this.#pausedUntil > performance.now()) return;
    // No replica is ahead of its primary. Each position is compared before the data of that position is read.
    const later = this.#samples.find(({ at }) => at > this.#returnedAt);
    if (later !== undefined && later.position < this.position) this.distrust();
    else if (later !== undefined && !this.#isConfirmed) {
      if (later.position > this.position) this.distrust(); // where the logs of a former primary and this one may differ
      this.#isConfirmed = true;
    }
    try {
      const { position, server, replays } = await withDeadline(examine(this.#examined, this.#samples.at(-1)));
      if (!replays) throw new DatabaseError("It is not a replica.");
      const isTrusted = this.#isConfirmed && position > this.#distrusted;
      const reached = isTrusted ? this.#samples.findLast((sample) => sample.position <= position) : undefined;
      this.#freshAt = reached?.at ?? -Infinity;
      [this.position, this.#server, this.#returnedAt] = [position, server, performance.now()];
      this.#log(isTrusted ? BEHIND : STRAY);
    } catch (error) {
      this.#fail((error as Error).message);
      cut(this.#examined);
      cut(this.db); // so that their queries go to the primary
    }
  }

  #fail(reason: string): void {
    this.#pausedUntil = performance.now() + PAUSE_MS;
    this.#server = undefined;
    this.#returnedAt = Infinity;
    this.#isConfirmed = false;
    this.#log(reason);
  }

  #log(reason: string): void {
    const { isFresh } = this;
    const now = performance.now();
    if (isFresh === this.#logged.isFresh || now - this.#logged.at < LOG_INTERVAL_MS) return;
    this.#logged = { isFresh, at: now };
    if (isFresh) this.#logger.info("a replica is used for reads");
    else this.#logger.warn({ reason }, "a replica is not used for reads");
  }

  async destroy(): Promise<void> {
    await this.#examined.destroy();
    await this.db.destroy();
  }
}

function cut(db: Kysely<any>): void {
  (db.getExecutor().adapter as PostgresPoolAdapter).pool?.cut();
}

/** Rejects with `DatabaseError` if a server does not respond in time, though this process has read what has arrived. */
async function withDeadline<Result>(response: Promise<Result>): Promise<Result> {
  const ended = new AbortController();
  const late = setTimeout(DEADLINE_MS, undefined, { ref: false, signal: ended.signal }).then(async () => {
    await setImmediate();
    throw new DatabaseError("It does not respond.");
  });
  return Promise.race([response, late]).finally(() => ended.abort());
}
