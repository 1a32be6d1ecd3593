import { randomOf } from "@platform/bench-support/random";
import type { Api } from "../../src/api.ts";
import { RETRY, RETRY_BUDGET } from "../../src/call/retries.ts";
import { delayBeforeRetry, repayRetries, type RetryBudget, takeRetry } from "../../src/call/retry.ts";
import type { OperationDescription } from "../../src/operation.ts";
import { LIMITS } from "../../src/options.ts";
import type { ErrorResult } from "../../src/response/result-types.ts";
import { Events } from "./events.ts";
import { createService, type ServiceModel } from "./service.ts";

/** The clients, and the load that they create. Times are in milliseconds. */
export interface ClientModel {
  /** The number of clients. Each has a retry budget of its own. */
  clients: number;
  /** The connections of a client. Each has one request at a time; further attempts wait in the client. */
  connections: number;
  retryBudget: number;
  attemptTimeout: number;
  timeout: number;
  /** The phases, with their load as a multiple of the capacity. The last phase is the one after the overload. */
  phases: readonly { milliseconds: number; load: number }[];
}

/** Clients with the defaults of fetch-operations. The load is 2.5 times the capacity for five seconds. */
export const CLIENTS: ClientModel = {
  clients: 50,
  connections: 40,
  retryBudget: RETRY_BUDGET,
  attemptTimeout: LIMITS.attemptTimeout,
  timeout: LIMITS.timeout,
  phases: [
    { milliseconds: 5_000, load: 0.7 },
    { milliseconds: 5_000, load: 2.5 },
    { milliseconds: 40_000, load: 0.7 },
  ],
};

/** The same clients, but impatient. */
export const IMPATIENT: ClientModel = { ...CLIENTS, attemptTimeout: 1_000, timeout: 10_000 };

/** The figures of a simulation. */
export interface Outcome {
  /** Successful calls during the overload, relative to the capacity. */
  goodput: number;
  /** Milliseconds from the sending of a request to its success, during the overload. */
  p99: number;
  /** Retries for each call, before the overload, during it and afterwards. */
  retries: number[];
  /** Calls that succeeded, of those that began after the load had fallen. */
  servedAfterwards: number;
  /** Seconds from the fall of the load to the first second from which on at least 95 % of the calls succeed; Infinity if never. */
  recovery: number;
}

/** A client: its budget, its free connections, and the attempts that wait for one. */
interface Client {
  budget: RetryBudget;
  free: number;
  queue: (() => void)[];
}

const API = { errors: () => undefined } as unknown as Api;
const OPERATION = { isRetryable: true } as OperationDescription;
const REFUSED = { status: 503, response: new Response(null, { status: 503, headers: { "Retry-After": "1" } }) };
const TIMED_OUT = { status: 0, error: { code: "timeout" } };
/** The share of calls that has to succeed for a second to count as recovered. */
const RECOVERED = 0.95;

/** Runs clients against a service. The same seed gives the same figures. */
export function simulate(service: ServiceModel, clients: ClientModel, seed: number): Outcome {
  const systemRandom = Math.random;
  Math.random = randomOf(seed); // the client's own code calls it for the jitter
  try {
    return run(service, clients);
  } finally {
    Math.random = systemRandom;
  }
}

function run(model: ServiceModel, options: ClientModel): Outcome {
  const { clients: count, retryBudget, attemptTimeout, timeout, phases } = options;
  const events = new Events();
  const request = createService(events, model);
  const clients = Array.from({ length: count }, (): Client => {
    return { budget: { left: retryBudget }, free: options.connections, queue: [] };
  });
  const capacity = 1 / model.servedCpu;
  const overload = { from: phases[0]!.milliseconds, to: phases[0]!.milliseconds + phases[1]!.milliseconds };
  const counts = phases.map(() => ({ calls: 0, retries: 0, succeeded: 0 }));
  const latencies: number[] = [];
  const seconds: { calls: number; succeeded: number }[] = [];
  let successes = 0;

  const call = (phase: number): void => {
    const client = clients[Math.floor(Math.random() * clients.length)]!;
    const { budget } = client;
    const begun = events.now;
    const second = (seconds[Math.floor(begun / 1000)] ??= { calls: 0, succeeded: 0 });
    const figures = counts[phase]!;
    figures.calls++;
    second.calls++;
    let taken = 0;
    const attempt = (): void => {
      const started = events.now;
      let sent = started;
      let isOver = false;
      let isSent = false;
      const end = (): void => {
        isOver = true;
        if (!isSent) return;
        client.free++;
        while (client.queue.length > 0 && client.free > 0) client.queue.shift()!();
      };
      const fail = (result: object): void => {
        const delay = delayBeforeRetry(API, OPERATION, result as ErrorResult, taken + 1, RETRY);
        if (delay === undefined || events.now + delay >= begun + timeout || !takeRetry(budget)) return;
        taken++;
        figures.retries++;
        events.at(events.now + delay, attempt);
      };
      const answer = (status: 200 | 503): void => {
        if (isOver) return;
        end();
        if (status === 503) return fail(REFUSED);
        repayRetries(budget, taken, retryBudget);
        figures.succeeded++;
        second.succeeded++;
        if (events.now < overload.from || events.now >= overload.to) return;
        successes++;
        latencies.push(events.now - sent);
      };
      const send = (): void => {
        if (isOver) return;
        isSent = true;
        sent = events.now;
        client.free--;
        request({ answer, hasLeft: () => isOver });
      };
      if (client.free > 0) send();
      else client.queue.push(send);
      events.at(Math.min(started + attemptTimeout, begun + timeout), () => {
        if (isOver) return;
        end();
        fail(TIMED_OUT);
      });
    };
    attempt();
  };

  let end = 0;
  for (const [phase, { milliseconds, load }] of phases.entries()) {
    end += milliseconds;
    const phaseEnd = end;
    const arrive = (): void => {
      if (events.now >= phaseEnd) return;
      call(phase);
      events.at(events.now - Math.log(1 - Math.random()) / (capacity * load), arrive);
    };
    events.at(events.now, arrive);
    events.runUntil(end);
  }
  events.runUntil(end + timeout); // the last calls come to their end

  latencies.sort((one, other) => one - other);
  const fall = overload.to / 1000;
  const failed = seconds.findLastIndex(({ calls, succeeded }) => succeeded < RECOVERED * calls);
  const after = counts.at(-1)!;
  return {
    goodput: successes / (overload.to - overload.from) / capacity,
    p99: latencies[Math.floor(0.99 * latencies.length)] ?? Number.NaN,
    retries: counts.map(({ calls, retries }) => retries / calls),
    servedAfterwards: after.succeeded / after.calls,
    recovery: failed === seconds.length - 1 ? Infinity : Math.max(0, failed + 1 - fall),
  };
}
