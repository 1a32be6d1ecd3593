import type { Events } from "./events.ts";

/** A service of one process. Times are in milliseconds. */
export interface ServiceModel {
  /** The most requests in flight; the service refuses further ones. */
  maxInFlight: number;
  /** The CPU time of a request that is served, and of one that is refused. */
  servedCpu: number;
  refusedCpu: number;
  /** The time that a request is in flight without the CPU, as it waits for the database. */
  wait: number;
  /** How often the process stops, and for how long: garbage collection, or a disk that syncs slowly. */
  pauseEvery: number;
  pause: number;
}

/** How a service answers: 200, or 503 with `Retry-After`. */
export type Answer = (status: 200 | 503) => void;

/**
 * Returns the entry of a service, which works in turns as Node's event loop does. A turn takes all requests that have arrived,
 * refuses those beyond the limit, and then works on the others one after the other. The service does not see that a client has left.
 */
export function createService(events: Events, model: ServiceModel): (answer: Answer) => void {
  const { maxInFlight, servedCpu, refusedCpu, wait, pauseEvery, pause } = model;
  let arrived: Answer[] = [];
  let inFlight = 0;
  let isBusy = false;
  let freeAt = 0;

  const turn = (): void => {
    const answers = arrived;
    arrived = [];
    const served: Answer[] = [];
    for (const answer of answers) {
      if (inFlight < maxInFlight) {
        inFlight++;
        served.push(answer);
      } else {
        freeAt += refusedCpu;
        events.at(freeAt, () => answer(503));
      }
    }
    for (const answer of served) {
      freeAt += servedCpu;
      events.at(freeAt + wait, () => {
        inFlight--;
        answer(200);
      });
    }
    events.at(freeAt, next);
  };
  const next = (): void => {
    isBusy = arrived.length > 0;
    if (!isBusy) return;
    freeAt = Math.max(freeAt, events.now);
    if (freeAt > events.now) events.at(freeAt, turn);
    else turn();
  };
  const stop = (): void => {
    freeAt = Math.max(freeAt, events.now) + pause;
    events.at(events.now + pauseEvery, stop);
  };
  events.at(pauseEvery, stop);

  return (answer) => {
    arrived.push(answer);
    if (isBusy) return;
    isBusy = true;
    events.at(events.now, next);
  };
}
