import { setTimeout } from "node:timers/promises";
import { InvalidArgumentError } from "@openapi-operations/command-line";
import type { RequestHandler } from "express";
import { Problem } from "express-operations";

/** How the mock behaves like a slow or failing network. */
export interface Conditions {
  /** The time before each response in milliseconds: a number between both. */
  latency?: { from: number; to: number } | undefined;
  /** The share of requests that fail, from 0 to 1, and the status of their responses. */
  faults?: { share: number; status: number } | undefined;
  /** The seed of what is random. The same seed and requests give the same responses. Default: 1. */
  seed?: number | undefined;
}

/** Delays requests and lets some fail. The failing ones get an error in the document's own format, through `next`. */
export function withConditions({ latency, faults, seed = 1 }: Conditions): RequestHandler {
  const random = randomNumbers(seed);
  return async (_request, _response, next) => {
    const [delay, chance] = [random(), random()];
    if (latency !== undefined) await setTimeout(latency.from + delay * (latency.to - latency.from));
    const isFault = faults !== undefined && chance < faults.share;
    next(isFault ? new Problem(faults.status, "injected_fault", "The mock was started with --faults.") : undefined);
  };
}

/** Returns numbers from 0 to below 1 that depend only on the seed: mulberry32. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Parses `200` or `100-800`, in milliseconds. Throws for another text. */
export function parseLatency(text: string): { from: number; to: number } {
  const [, from, to = from] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(text) ?? [];
  if (from === undefined || Number(to) < Number(from))
    throw new InvalidArgumentError("Give milliseconds, such as 200 or 100-800.");
  return { from: Number(from), to: Number(to) };
}

/** Parses `10%` or `10%:429`. The default status is 503. Throws for another text. */
export function parseFaults(text: string): { share: number; status: number } {
  const [, percent, status = "503"] = /^(\d{1,3})%(?::([45]\d\d))?$/.exec(text) ?? [];
  if (percent === undefined || Number(percent) > 100)
    throw new InvalidArgumentError("Give a percentage, with a status if you like, such as 10% or 10%:429.");
  return { share: Number(percent) / 100, status: Number(status) };
}
