import type { Storage } from "./storage.ts";

/** The rest of a request, called with the version of its snapshot. It must not throw. */
export type Continuation = (version: number | undefined) => void;

/**
 * Returns a function that collects the requests of one turn of the event loop and runs them in one snapshot. The snapshot
 * begins after the last request has arrived, so that no request reads data older than its arrival. Writes that the requests
 * start synchronously are committed together before the next turn.
 */
export function snapshotPerTurn(
  storage: Pick<Storage<any>, "snapshot" | "commitNow">,
): (continuation: Continuation) => void {
  let arrived: Continuation[] = [];
  const begin = (): void => {
    const turn = arrived;
    arrived = [];
    storage.snapshot((version) => {
      for (const continuation of turn) continuation(version);
    });
    queueMicrotask(() => process.nextTick(storage.commitNow)); // after the synchronous part of the requests and its promises
  };
  return (continuation) => {
    arrived.push(continuation);
    if (arrived.length === 1) setImmediate(begin);
  };
}
