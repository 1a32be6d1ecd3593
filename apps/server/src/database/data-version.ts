import type { NextFunction, Request, RequestHandler, Response } from "express";
import type { Storage } from "./storage.ts";

/** The version of the data that a request is answered from, as of a time after it arrived; undefined where there is none. */
export type DataVersion = (request: Request) => number | undefined;

/**
 * Asks the database once for all requests that arrive in one turn of the event loop, when the last of them has: asked any
 * earlier, those after would see what is no longer so. They go on together.
 */
export function readDataVersion(storage: Storage): RequestHandler {
  let arrived: { response: Response; next: NextFunction }[] = [];
  const goOn = (): void => {
    const turn = arrived;
    arrived = [];
    const version = storage.version();
    for (const { response, next } of turn) {
      response.locals["dataVersion"] = version;
      try {
        next();
      } catch (error) {
        next(error);
      }
    }
  };
  return (_request, response, next) => {
    arrived.push({ response, next });
    if (arrived.length === 1) setImmediate(goOn);
  };
}

/** What `readDataVersion` has read for this request. */
export const dataVersionOf: DataVersion = ({ res }) => res!.locals["dataVersion"] as number | undefined;
