import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { Thing } from "./things.ts";
import { creation } from "./start.ts";

/** One attempt to add a thing, without a status if there was no response. */
export interface Attempt {
  status?: number;
  /** The thing that was acknowledged. */
  thing?: Thing;
  start: number;
  end: number;
}

/** The times of a failover, by `performance.now()`. */
export interface Failover {
  /** When the promotion began. */
  promoted: number;
  /** When the next failover or the end began. */
  next: number;
}

/** The wait of a rejected writer in milliseconds, as for clients. Without it, rejections would take all of the processor. */
const PAUSE = 10;

/** Writers at work. */
export interface Load {
  /** Resolves after so many more attempts of that kind. */
  until: (count: number, matches: (attempt: Attempt) => boolean) => Promise<void>;
  stop: () => Promise<Attempt[]>;
}

/** Starts writers. Each adds a thing, and retries with the same `Idempotency-Key` until it is acknowledged. */
export function startLoad(writers: number, request: (init: RequestInit) => Promise<Response>): Load {
  const attempts: Attempt[] = [];
  const listeners = new Set<(attempt: Attempt) => void>();
  const stopping = new AbortController();

  const attempt = async (name: string): Promise<Attempt> => {
    const start = performance.now();
    try {
      const response = await request(creation(name, { "Idempotency-Key": name }));
      const body = (await response.json()) as Thing;
      return { status: response.status, start, end: performance.now(), ...(response.ok && { thing: body }) };
    } catch {
      return { start, end: performance.now() };
    }
  };

  const write = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const name = randomUUID();
      for (let isAcknowledged = false; !isAcknowledged && !stopping.signal.aborted;) {
        const made = await attempt(name);
        isAcknowledged = made.thing !== undefined;
        attempts.push(made);
        for (const listener of listeners) listener(made);
        if (!isAcknowledged) await setTimeout(PAUSE);
      }
    }
  };

  const done = Array.from({ length: writers }, write);
  return {
    until: (count, matches) =>
      new Promise((resolve) => {
        let missing = count;
        const listener = (made: Attempt) => {
          if (!matches(made) || --missing > 0) return;
          listeners.delete(listener);
          resolve();
        };
        listeners.add(listener);
      }),
    stop: async () => {
      stopping.abort();
      await Promise.all(done);
      return attempts;
    },
  };
}

/** Returns every thing, page by page. */
export async function everyThing(request: (path: string) => Promise<Response>): Promise<Thing[]> {
  const things: Thing[] = [];
  for (let query: string | undefined = "?limit=100"; query !== undefined;) {
    const response = await request(`/things${query}`);
    things.push(...((await response.json()) as Thing[]));
    query = /^<[^?]+(\?[^>]+)>/.exec(response.headers.get("Link") ?? "")?.[1];
  }
  return things;
}

export const isAcknowledged = ({ thing }: Attempt): boolean => thing !== undefined;

/** Compares the responses with the stored things. `slowest` is the time from a promotion to the last failed attempt. */
export function reportOf(attempts: Attempt[], failovers: Failover[], stored: Thing[]) {
  const acknowledged = attempts.flatMap(({ thing }) => thing ?? []);
  const failures = attempts.filter(({ thing }) => thing === undefined);
  const byName = new Map(stored.map((thing) => [thing.name, thing]));
  const delays = failovers.map(({ promoted, next }) =>
    Math.max(0, ...failures.filter(({ end }) => end > promoted && end < next).map(({ end }) => end - promoted)),
  );
  return {
    acknowledged: acknowledged.length,
    failures: failures.length,
    lost: acknowledged.filter(({ id, name }) => byName.get(name)?.id !== id).length,
    twice: stored.length - byName.size,
    slowest: Math.round(Math.max(...delays)),
  };
}
