import { type Spread, spreadOf } from "../measuring/figures.ts";
import type { OpenLoad, OpenResult } from "../measuring/open-load.ts";
import { startOpenLoad } from "../measuring/process.ts";
import { withProgress } from "@openapi-operations/command-line";
import type { Databases } from "./database.ts";
import { startContender } from "./rounds.ts";
import { KEYED_CREATION, requestText, WORKS } from "./works.ts";

/** The figures of one load. */
export interface OverloadFigures {
  /** The load as a multiple of the capacity. */
  load: number;
  /** Requests served in time as a share of the capacity around the load, relative to the highest median of all loads. */
  goodput: Spread;
  /** Milliseconds from the sending of a served request to its response. */
  p99: Spread;
  /** The share of the requests that were sent and got a 503. */
  refused: Spread;
  /** The share of all requests that were served in time. */
  served: Spread;
}

/** How to overload the service. */
export interface OverloadOptions {
  rounds: number;
  milliseconds: number;
  /** The connections of the clients. Each has one request at a time. */
  connections: number;
  loads: readonly number[];
}

/** Milliseconds after which a client no longer waits. */
const PATIENCE = 2_000;
const SATURATING = { perSecond: 50_000, connections: 64 };
const WARM_UP_MS = 1_000;
/** A load during which the capacity changed by more than this factor says nothing about the service, and is measured again. */
const STEADY = 1.5;
const MOST_TRIES = 4;

/**
 * Measures the goodput of the service at multiples of its capacity. Each round starts the service anew.
 * The capacity is measured between all loads, since other programs change the speed of a machine from second to second.
 */
export async function overloaded(
  databases: Databases,
  { rounds, milliseconds, connections, loads }: OverloadOptions,
): Promise<{ capacity: Spread; figures: OverloadFigures[] }> {
  using load = startOpenLoad();
  const capacities: number[] = [];
  const measured = loads.map(() => ({
    goodput: [] as number[],
    p99: [] as number[],
    refused: [] as number[],
    served: [] as number[],
  }));
  let seed = 0;
  await withProgress(async (report) => {
    for (let round = 0; round < rounds; round++) {
      using contender = await startContender("this service", { name: "petstore" }, databases, { synchronous: "full" });
      const requests = mix(databases.key);
      const run = (more: Pick<OpenLoad, "perSecond" | "connections" | "milliseconds" | "runIn">) =>
        load.ask<OpenResult>({ port: contender.port, requests, patience: PATIENCE, seed: ++seed, ...more });
      const saturate = async (during: number) => {
        const { served, seconds } = await run({ ...SATURATING, milliseconds: during, runIn: during });
        return served / seconds;
      };
      report("Warming up");
      await saturate(WARM_UP_MS);
      let capacity = await saturate(milliseconds);
      for (const [at, multiple] of loads.entries()) {
        report("Overloading", {
          done: round * loads.length + at,
          total: rounds * loads.length,
          unit: "loads",
        });
        let result: OpenResult;
        let before: number;
        let tries = 0;
        do {
          before = capacity;
          result = await run({ perSecond: multiple * before, connections, milliseconds, runIn: milliseconds });
          capacity = await saturate(milliseconds);
          capacities.push(capacity);
        } while (Math.max(before, capacity) > STEADY * Math.min(before, capacity) && ++tries < MOST_TRIES);
        const { goodput, p99, refused, served } = measured[at]!;
        goodput.push(result.served / result.seconds / ((before + capacity) / 2));
        p99.push(result.p99);
        refused.push(result.refused / (result.served + result.refused));
        served.push(Math.min(1, result.served / result.arrived)); // the requests of the run-in are served too
      }
    }
  });
  const best = Math.max(...measured.map(({ goodput }) => spreadOf(goodput).median));
  return {
    capacity: spreadOf(capacities),
    figures: measured.map(({ goodput, p99, refused, served }, at) => ({
      load: loads[at]!,
      goodput: spreadOf(goodput.map((share) => share / best)),
      p99: spreadOf(p99),
      refused: spreadOf(refused),
      served: spreadOf(served),
    })),
  };
}

/** Half creations with an idempotency key of their own, as clients send them, and half lists, which each creation makes anew. */
function mix(key: string): string[] {
  return [requestText(KEYED_CREATION, key), requestText(WORKS["list 20"], key)];
}
