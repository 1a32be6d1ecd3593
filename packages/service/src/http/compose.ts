import type { RequestHandler } from "express";

/**
 * Makes one middleware of several, which run in their order: Express's router takes as long to get to each as most of ours take.
 * A middleware that calls `next` twice gets an error for it, and the others run once.
 */
export function compose(...middlewares: RequestHandler[]): RequestHandler {
  return (request, response, next) => {
    let reached = -1;
    const run = (at: number, error?: unknown): void => {
      if (at <= reached) throw new Error("A middleware has called next() more than once.");
      reached = at;
      const middleware = middlewares[at];
      if (middleware === undefined || error !== undefined) next(error);
      else void middleware(request, response, (failure?: unknown) => run(at + 1, failure));
    };
    run(0);
  };
}
