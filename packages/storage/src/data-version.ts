import type { Storage } from "./storage.ts";

/** Goes on with what has arrived, which may not throw, and gives it the version of the data that it sees. */
export type GoOn = (version: number | undefined) => void;

/**
 * Lets what arrives in one turn of the event loop go on together, from one snapshot of the data. It is taken when the last of
 * it has arrived: any earlier, and those after it would see what is no longer so. What they write at once is committed
 * together before the event loop turns.
 */
export function snapshotPerTurn(storage: Pick<Storage<any>, "snapshot" | "commitNow">): (goOn: GoOn) => void {
  let arrived: GoOn[] = [];
  const begin = (): void => {
    const turn = arrived;
    arrived = [];
    storage.snapshot((version) => {
      for (const goOn of turn) goOn(version);
    });
    queueMicrotask(() => process.nextTick(storage.commitNow)); // when all of them wait for something else
  };
  return (goOn) => {
    arrived.push(goOn);
    if (arrived.length === 1) setImmediate(begin);
  };
}
