import type { NextFunction, Request, RequestHandler, Response } from "express";
import { expect, test } from "vitest";
import { compose } from "../src/service-app.ts";

/** Composes and runs the steps. Returns the indexes of those that ran, and the argument of each `next` call behind them. */
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

test("middlewares run in their order, then what comes after them", () => {
  expect(ran(callNext, callNext)).toEqual([0, 1, ["next", undefined]]);
  expect(ran()).toEqual([["next", undefined]]);
});

test("one that does not go on is the last, and an error passes by the others", () => {
  expect(ran(callNext, () => {}, callNext)).toEqual([0, 1]);
  const fault = new Error("no");
  expect(ran((next) => next(fault), callNext)).toEqual([0, ["next", fault]]);
});

test("one that goes on twice gets an error, and the others run once", () => {
  const twice = (next: NextFunction) => {
    next();
    expect(() => next()).toThrow("next() more than once");
  };
  expect(ran(twice, callNext)).toEqual([0, 1, ["next", undefined]]);
  expect(ran(callNext, twice)).toEqual([0, 1, ["next", undefined]]);
});

test("what one throws goes to what comes after them, once, however late it runs", async () => {
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

test("what one rejects with goes to what comes after them", async () => {
  const fault = new Error("no");
  const failed = Promise.withResolvers<unknown>();
  compose(async () => Promise.reject(fault))({} as Request, {} as Response, failed.resolve);
  expect(await failed.promise).toBe(fault);
});
