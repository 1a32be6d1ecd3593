import type { Events } from "./events.ts";

/** A service of one process. Times are in milliseconds. */
export interface ServiceModel {
  /** The most requests in flight. Further ones wait. */
  maxInFlight: number;
  /** How long a request waits at most, and then gets a 503. */
  longestWait: number;
  /** The CPU time of a request that is served, and of one that is refused. */
  servedCpu: number;
  refusedCpu: number;
  /** The time that a request is in flight without the CPU, as it waits for the database. */
  databaseTime: number;
  /** How often the process stops, and for how long: garbage collection, or a disk that syncs slowly. */
  pauseEvery: number;
  pause: number;
}

/** A request as the service sees it. */
export interface ServiceRequest {
  /** Called with 200, or with 503 and `Retry-After`. */
  answer: (status: 200 | 503) => void;
  /** Whether the client has left. The service notices this only while the request waits. */
  hasLeft: () => boolean;
}

/**
 * Returns the entry of a service, which works in turns as Node's event loop does. A turn takes all requests that have arrived, lets
 * those beyond the limit wait, and works on the others one after the other.
 */
export function createService(events: Events, model: ServiceModel): (request: ServiceRequest) => void {
  const { maxInFlight, longestWait, servedCpu, refusedCpu, databaseTime, pauseEvery, pause } = model;
  let arrived: ServiceRequest[] = [];
  let waiting: { request: ServiceRequest; deadline: number }[] = [];
  let inFlight = 0;
  let isBusy = false;
  let freeAt = 0;

  const serve = ({ answer }: ServiceRequest): void => {
    inFlight++;
    freeAt += servedCpu;
    events.at(freeAt + databaseTime, () => {
      inFlight--;
      answer(200);
      if (waiting.length > 0) wake();
    });
  };
  const refuse = ({ answer }: ServiceRequest): void => {
    freeAt += refusedCpu;
    events.at(freeAt, () => answer(503));
  };
  const turn = (): void => {
    let first = 0;
    for (; first < waiting.length; first++) {
      const { request, deadline } = waiting[first]!;
      if (request.hasLeft()) continue;
      if (deadline <= events.now) refuse(request);
      else if (inFlight < maxInFlight) serve(request);
      else break;
    }
    if (first > 0) waiting = waiting.slice(first);
    const requests = arrived;
    arrived = [];
    for (const request of requests) {
      if (waiting.length === 0 && inFlight < maxInFlight) serve(request);
      else if (longestWait === 0) refuse(request);
      else {
        const deadline = events.now + longestWait;
        if (waiting.push({ request, deadline }) === 1) events.at(deadline, wake);
      }
    }
    events.at(freeAt, endTurn);
  };
  const endTurn = (): void => {
    isBusy = false;
    if (arrived.length > 0) wake();
  };
  const wake = (): void => {
    if (isBusy) return;
    isBusy = true;
    freeAt = Math.max(freeAt, events.now);
    events.at(freeAt, turn);
  };
  const stop = (): void => {
    freeAt = Math.max(freeAt, events.now) + pause;
    events.at(events.now + pauseEvery, stop);
  };
  events.at(pauseEvery, stop);

  return (request) => {
    arrived.push(request);
    wake();
  };
}
