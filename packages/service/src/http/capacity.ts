import type { ServerResponse } from "node:http";
import type { RequestHandler } from "express";
import { problem } from "../problems.ts";

/** How many requests the service works on at once; what is beyond gets a 503 straight away, so that memory stays bounded. */
export interface Capacity {
  /** Refuses a request that arrives while all places are taken, before anything is spent on it. */
  refuseWhenFull: RequestHandler;
  /** Takes a place until the answer is over, or throws the refusal. One whose body is still arriving holds none. */
  take: (response: ServerResponse) => void;
}

/** Places for `most` requests. */
export function createCapacity(most: number): Capacity {
  let taken = 0;
  const check = (): void => {
    if (taken >= most) throw problem("unavailable", { "Retry-After": "1" });
  };
  return {
    refuseWhenFull: (_request, _response, next) => {
      check();
      next();
    },
    take: (response) => {
      check();
      taken++;
      response.on("close", () => taken--);
    },
  };
}
