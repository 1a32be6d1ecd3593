import { show, type Spread, spreadOf } from "../measuring/figures.ts";
import type { OpenLoad, OpenResult } from "../measuring/open-load.ts";
import { startOpenLoad } from "../measuring/process.ts";
import { withProgress } from "@platform/command-line";
import type { Databases } from "./database.ts";
import { type RunningContender, startContender } from "./rounds.ts";
import { keyedCreationText, requestText, WORKS } from "./works.ts";

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

/** The values of `MAX_IN_FLIGHT` that the benchmark compares. */
const LIMITS = [64, 128, 256, 512, 1_000];
/** The last load shows the recovery. */
const LOADS = [0.5, 1, 1.5, 2, 3, 0.4];
const CONNECTIONS = 1_000;
/** Milliseconds after which a client no longer waits. */
const PATIENCE = 2_000;
const SATURATING = { perSecond: 50_000, connections: 64 };
const WARM_UP_MS = 1_000;

/** Prints goodput and p99 of several loads, for each limit of requests in flight. */
export async function overload(databases: Databases, effort: { rounds: number; milliseconds: number }): Promise<void> {
  const rows: Record<string, Record<string, string>> = {};
  for (const maxInFlight of LIMITS) {
    const options = { ...effort, connections: CONNECTIONS, loads: LOADS };
    const { capacity, figures } = await overloaded(databases, String(maxInFlight), options);
    for (const { load, goodput, p99, refused, served } of figures) {
      rows[`MAX_IN_FLIGHT=${maxInFlight}, load ${load}`] = {
        "goodput to the best": show(goodput),
        "p99 ms": show(p99, 0),
        "503": show(refused),
        served: show(served),
      };
    }
    rows[`MAX_IN_FLIGHT=${maxInFlight}, capacity`] = { "goodput to the best": `${show(capacity, 0)}/s` };
  }
  console.log(
    `\noverload, ${CONNECTIONS} connections, clients that wait for ${PATIENCE} ms; load as a multiple of the capacity`,
  );
  console.table(rows);
}

/**
 * Measures the goodput of the service at multiples of its capacity. Each round starts the service anew.
 * The capacity is measured between all loads, since other programs change the speed of a machine from second to second.
 */
export async function overloaded(
  databases: Databases,
  maxInFlight: string,
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
      using contender = await startService(databases, maxInFlight);
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
        const result = await run({ perSecond: multiple * capacity, connections, milliseconds, runIn: milliseconds });
        const before = capacity;
        capacity = await saturate(milliseconds);
        capacities.push(capacity);
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

function startService(databases: Databases, maxInFlight: string): Promise<RunningContender> {
  const contender = { name: "petstore", env: { MAX_IN_FLIGHT: maxInFlight } } as const;
  return startContender("this service", contender, databases, { synchronous: "full" });
}

/** Half creations with an idempotency key of their own, as clients send them, and half lists, which each creation makes anew. */
function mix(key: string): string[] {
  return [keyedCreationText(key), requestText(WORKS["list 20"], key)];
}
