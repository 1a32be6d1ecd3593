import type { NextFunction, Request, RequestHandler, Response } from "express";
import { expect, test } from "vitest";
import { compose } from "../src/service-app.ts";

/** Composes and runs the steps. Returns the indexes of the steps that ran, and the argument of each final `next` call. */
function ran(...steps: ((next: NextFunction) => void)[]): unknown[] {
  const seen: unknown[] = [];
  const middlewares = steps.map((step, at): RequestHandler => (_request, _response, next) => {
    seen.push(at);
    step(next);
  });
  compose(...middlewares)({} as Request, {} as Response, (error?: unknown) => seen.push(["next", error]));
  return seen;
}

const callNext = (next: NextFunction) => next();

test("compose runs middlewares in their order, and calls next after the last one", () => {
  expect(ran(callNext, callNext)).toEqual([0, 1, ["next", undefined]]);
  expect(ran()).toEqual([["next", undefined]]);
});

test("compose stops at a middleware that does not call next, and an error skips the other middlewares", () => {
  expect(ran(callNext, () => {}, callNext)).toEqual([0, 1]);
  const fault = new Error("no");
  expect(ran((next) => next(fault), callNext)).toEqual([0, ["next", fault]]);
});

test("a second call of next throws, and the other middlewares run once", () => {
  const twice = (next: NextFunction) => {
    next();
    expect(() => next()).toThrow("next() more than once");
  };
  expect(ran(twice, callNext)).toEqual([0, 1, ["next", undefined]]);
  expect(ran(callNext, twice)).toEqual([0, 1, ["next", undefined]]);
});

test("compose passes a thrown error to next once, even if the middleware runs later", async () => {
  const fault = new Error("no");
  const throwing = () => {
    throw fault;
  };
  expect(ran(callNext, callNext, throwing, callNext)).toEqual([0, 1, 2, ["next", fault]]);
  const turn = Promise.withResolvers<void>();
  const later = ran((next) => void turn.promise.then(() => next()), throwing);
  turn.resolve();
  await turn.promise;
  await Promise.resolve();
  expect(later).toEqual([0, 1, ["next", fault]]);
});

test("compose passes a rejection to next", async () => {
  const fault = new Error("no");
  const failed = Promise.withResolvers<unknown>();
  compose(async () => Promise.reject(fault))({} as Request, {} as Response, failed.resolve);
  expect(await failed.promise).toBe(fault);
});
