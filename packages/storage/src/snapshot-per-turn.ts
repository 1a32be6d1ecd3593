import type { Storage } from "./storage.ts";

/** The rest of a request, called with the version of its snapshot. It must not throw. */
export type Continuation = (version: number | undefined) => void;

/**
 * Returns a function that collects the requests of one turn of the event loop and runs them in one snapshot. The snapshot
 * begins after the last request has arrived, so that no request reads data older than its arrival.
 */
export function snapshotPerTurn(storage: Pick<Storage<any>, "snapshot">): (continuation: Continuation) => void {
  let arrived: Continuation[] = [];
  const begin = (): void => {
    const turn = arrived;
    arrived = [];
    storage.snapshot((version) => {
      for (const continuation of turn) continuation(version);
    });
  };
  return (continuation) => {
    arrived.push(continuation);
    if (arrived.length === 1) setImmediate(begin);
  };
}
