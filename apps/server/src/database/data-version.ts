import type { Request } from "express";
import type { Storage } from "./storage.ts";

/** The version of the data that a request is answered from, as of a time after it arrived; undefined where there is none. */
export type DataVersion = (request: Request) => number | undefined;

/** Asks the database once for each request. To share the answer among requests would let one see what is no longer so. */
export function dataVersionOf(storage: Storage): DataVersion {
  return ({ res }) => {
    const { locals } = res!;
    if (!("dataVersion" in locals)) locals["dataVersion"] = storage.version();
    return locals["dataVersion"] as number | undefined;
  };
}
