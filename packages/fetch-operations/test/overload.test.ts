import { expect, test } from "vitest";
import type { ServiceModel } from "../bench/overload/service.ts";
import { type ClientModel, CLIENTS, IMPATIENT, simulate } from "../bench/overload/simulation.ts";
import { RETRY_BUDGET } from "../src/call/retries.ts";

/** A service of 1,000 requests a second, with a limit that takes it as long to work off as 128 at 10,000 a second. */
const SERVICE: ServiceModel = {
  maxInFlight: 13,
  longestWait: 1_000,
  servedCpu: 1,
  refusedCpu: 0.3,
  databaseTime: 5,
  pauseEvery: 1_000,
  pause: 10,
};
const FEW_CONNECTIONS = 4;
const SEED = 28;

const outcomeOf = (service: Partial<ServiceModel>, clients: ClientModel) =>
  simulate({ ...SERVICE, ...service }, clients, SEED);
const few = (clients: ClientModel): ClientModel => ({ ...clients, connections: FEW_CONNECTIONS });

test("a simulated overload gives the same figures for the same seed", () => {
  const [one, other] = [outcomeOf({}, few(IMPATIENT)), outcomeOf({}, few(IMPATIENT))];
  expect(other).toEqual(one);
  expect(simulate(SERVICE, few(IMPATIENT), SEED + 1)).not.toEqual(one);
});

test("a service whose requests wait keeps its goodput in an overload, with bounded times", () => {
  const { goodput, p99 } = outcomeOf({}, few(CLIENTS));
  expect(goodput).toBeGreaterThan(0.9);
  expect(p99).toBeLessThan(1_000);
});

test.each([
  ["waits", {}],
  ["refuses at once", { longestWait: 0 }],
])("with the retry budget, a service that %s recovers within three seconds after the load has fallen", (_, service) => {
  const { recovery, retries } = outcomeOf(service, few(IMPATIENT));
  expect(recovery).toBeLessThanOrEqual(3);
  expect(retries[1]).toBeLessThan(0.5);
});

test("without a limit and without a retry budget, the service does not recover, and the simulation shows it", () => {
  const clients = { ...IMPATIENT, connections: Infinity };
  const unlimited = { maxInFlight: Infinity, longestWait: 0 };
  const { recovery, servedAfterwards } = outcomeOf(unlimited, { ...clients, retryBudget: Infinity });
  expect(recovery).toBe(Infinity);
  expect(servedAfterwards).toBeLessThan(0.05);
  expect(outcomeOf(unlimited, { ...clients, retryBudget: RETRY_BUDGET }).recovery).toBeLessThan(40);
});
