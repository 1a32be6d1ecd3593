import { setTimeout } from "node:timers/promises";
import { Kysely, sql } from "kysely";
import type { Logger } from "pino";
import { DatabaseError } from "../database-error.ts";
import { preparedFirst } from "../prepared.ts";
import type { Replicas, Storage } from "../storage.ts";
import { hostUrlsOf } from "../url.ts";
import type { PoolOptions } from "./postgres.pool.ts";
import { COMMITTED, positionAt, postgresDialect, type PostgresPoolAdapter } from "./postgres.dialect.ts";

/** How often each process asks every server for its position, in milliseconds. */
const INTERVAL_MS = 100;
/** How long the data of a replica may have been out of date at a read, in milliseconds. */
const MAX_STALENESS_MS = 1_000;
/** The shortest time between two log lines about a replica, in milliseconds. */
const LOG_INTERVAL_MS = 10_000;

/** The state of a server. */
interface Standing {
  /** Its position in the log. Positions compare as strings. */
  position: string;
  /** The identity of its data, which a primary shares with its replicas. */
  cluster: string;
}

/** The state of the primary, and when it was asked for it, by the clock of this process. */
type Sample = Standing & { at: number };

const CLUSTER = sql`(select system_identifier::text from pg_control_system()) as cluster`;

const standingOfPrimary = preparedFirst(() => sql<Standing>`select ${sql.raw(COMMITTED)}, ${CLUSTER}`);

const standingOfReplica = preparedFirst(
  () => sql<Standing & { replays: boolean; server: string }>`
    select ${sql.raw(positionAt("pg_last_wal_replay_lsn()"))}, ${CLUSTER}, pg_is_in_recovery() as replays,
      pg_postmaster_start_time()::text as server`,
);

/** Returns the state of a server. Throws `DatabaseError` unless it is a replica of this primary. */
async function examine(db: Kysely<any>, primary: Standing | undefined) {
  const standing = (await standingOfReplica(db, {}))!;
  if (!standing.replays) throw new DatabaseError("It is no replica.");
  if (primary !== undefined && primary.cluster !== standing.cluster)
    throw new DatabaseError("It has the data of another primary.");
  return standing;
}

/** Returns for each host how many bytes of the log of the primary it has not replayed, or why it is no replica. */
export async function examineReplicas(url: string, replicasUrl: string): Promise<Record<string, bigint | Error>> {
  await using primary = openPostgres(url);
  const standing = (await standingOfPrimary(primary, {}))!;
  const found = hostUrlsOf(replicasUrl).map(async (one): Promise<[string, bigint | Error]> => {
    await using db = openPostgres(one);
    const replica = await examine(db, standing).catch((error: unknown) => error as Error);
    if (replica instanceof Error) return [URL.parse(one)!.host, replica];
    const behind = numberOf(standing) - numberOf(replica); // negative if the replica was asked later
    return [URL.parse(one)!.host, behind > 0n ? behind : 0n];
  });
  return Object.fromEntries(await Promise.all(found));
}

function numberOf({ position }: Standing): bigint {
  return BigInt(`0x${position}`);
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
  const sample = async (): Promise<void> => {
    const at = performance.now();
    const standing = await standingOfPrimary(primary, {}).catch(() => undefined); // each request reports it
    while (samples.length > 0 && samples[0]!.at < at - MAX_STALENESS_MS) samples.shift();
    if (standing !== undefined) samples.push({ ...standing, at });
  };
  for (const step of [sample, ...replicas.map((replica) => () => replica.update())]) void repeat(step, closing.signal);
  for (const replica of replicas) opened.add(replica);
  let next = 0;
  return {
    find: (token) => {
      for (const _ of replicas) {
        const replica = replicas[next++ % replicas.length]!;
        if (replica.isFresh && (token === undefined || replica.position >= token)) return replica.db;
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
  /** The last known position. It has at least the digits of a token, so that they compare as strings. */
  position = "";
  readonly #examined: Kysely<any>;
  readonly #samples: readonly Sample[];
  readonly #logger: Logger;
  /** When the primary was last asked for a position that this replica has reached. */
  #freshAt = -Infinity;
  /** When the examined server was started, which tells it from others behind the same address. */
  #server: string | undefined;
  #logged: { isFresh?: boolean; at: number } = { at: performance.now() + MAX_STALENESS_MS - LOG_INTERVAL_MS };

  constructor(url: string, primary: Kysely<any>, samples: readonly Sample[], logger: Logger) {
    const adapter = primary.getExecutor().adapter as PostgresPoolAdapter;
    this.#samples = samples;
    this.#logger = logger.child({ replica: URL.parse(url)!.host });
    this.#examined = openPostgres(url, { max: 1 });
    this.db = openPostgres(url, { replica: { primary: () => adapter.pool!, server: () => this.#server } });
  }

  get isFresh(): boolean {
    return this.#freshAt >= performance.now() - MAX_STALENESS_MS;
  }

  /** Asks the server for its position. Never rejects. */
  async update(): Promise<void> {
    let reason: string | undefined;
    try {
      const { position, server } = await examine(this.#examined, this.#samples.at(-1));
      this.#freshAt = this.#samples.findLast((sample) => sample.position <= position)?.at ?? -Infinity;
      [this.position, this.#server] = [position, server];
    } catch (error) {
      reason = (error as Error).message;
      [this.position, this.#server, this.#freshAt] = ["", undefined, -Infinity];
    }
    this.#log(reason ?? "Nothing shows that it is at most a second behind.");
  }

  #log(reason: string): void {
    const { isFresh } = this;
    const now = performance.now();
    if (isFresh === this.#logged.isFresh || now - this.#logged.at < LOG_INTERVAL_MS) return;
    this.#logged = { isFresh, at: now };
    if (isFresh) this.#logger.info("a replica is read from");
    else this.#logger.warn({ reason }, "a replica is not read from");
  }

  async destroy(): Promise<void> {
    await this.#examined.destroy();
    await this.db.destroy();
  }
}
