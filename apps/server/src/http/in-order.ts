import type { NextFunction, RequestHandler } from "express";

/** Middlewares as one: Express's router takes as long to get to each as most of ours take. */
export function inOrder(...handlers: RequestHandler[]): RequestHandler {
  return (request, response, next) => {
    let at = 0;
    const step: NextFunction = (error?: unknown) => {
      const handler = handlers[at++];
      if (handler === undefined || error !== undefined) next(error);
      else void handler(request, response, step);
    };
    step();
  };
}
