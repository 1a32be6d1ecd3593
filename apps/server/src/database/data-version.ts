import type { NextFunction, Request, RequestHandler, Response } from "express";
import type { Storage } from "./storage.ts";

/** The version of the data that a request is answered from, as of a time after it arrived; undefined where there is none. */
export type DataVersion = (request: Request) => number | undefined;

/**
 * Lets the requests that arrive in one turn of the event loop go on together, from one snapshot of the data. It is taken
 * when the last of them has arrived: any earlier, and those after it would see what is no longer so. What they write at
 * once is committed together before the event loop turns.
 */
export function snapshotPerTurn(storage: Storage): RequestHandler {
  let arrived: { response: Response; next: NextFunction }[] = [];
  const goOn = (): void => {
    const turn = arrived;
    arrived = [];
    storage.snapshot((version) => {
      for (const { response, next } of turn) {
        response.locals["dataVersion"] = version;
        try {
          next();
        } catch (error) {
          next(error);
        }
      }
    });
    queueMicrotask(() => process.nextTick(storage.commitNow)); // when all of them wait for something else
  };
  return (_request, response, next) => {
    arrived.push({ response, next });
    if (arrived.length === 1) setImmediate(goOn);
  };
}

/** The version of the snapshot that this request goes on from. */
export const dataVersionOf: DataVersion = ({ res }) => res!.locals["dataVersion"] as number | undefined;
