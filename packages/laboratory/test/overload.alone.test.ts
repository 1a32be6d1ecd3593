import { createDatabases } from "../service/database.ts";
import { overloaded } from "../service/overload.ts";
import { memoryFolder } from "@platform/test-support/machine";
import { expect, test } from "vitest";

/** `pnpm --filter @platform/laboratory test:overload` measures more rounds, and expects 0.9 and 0.95. A service that refuses at once has 0.6. */
const ROUNDS = Number(process.env["OVERLOAD_ROUNDS"] ?? 5);
const GOODPUT = Number(process.env["OVERLOAD_GOODPUT"] ?? 0.75);
const CONNECTIONS = 1_000;
const LOADS = [1, 2, 3];
/** The load after the overload, and the share of it that has to be served at once. */
const LATER = { load: 0.4, served: Number(process.env["OVERLOAD_RECOVERY"] ?? 0.9) };
const TURN_MS = 700;
/** The time of the connections' requests one after the other, at 1,000 a second. */
const P99_MS = 2_000;

test(
  "at three times its capacity, the service keeps its goodput with bounded times, and it recovers once the load falls",
  { timeout: 60_000 + ROUNDS * 60_000 },
  async () => {
    // A disk that other programs use too may be four times as fast in one load as in the next.
    await using databases = await createDatabases(1_000, await memoryFolder());
    const { figures, capacity } = await overloaded(databases, {
      rounds: ROUNDS,
      milliseconds: TURN_MS,
      connections: CONNECTIONS,
      loads: [...LOADS, LATER.load],
    });
    console.log(JSON.stringify({ capacity, figures }));
    const later = figures.pop()!;
    for (const { load, goodput, served, p99 } of figures) {
      // Where the machine became faster after the capacity was measured, a load may be below the capacity, and is served whole.
      expect({ load, isKept: Math.max(goodput.median, served.median) >= GOODPUT }).toEqual({ load, isKept: true });
      expect(p99.median).toBeLessThan(P99_MS);
    }
    expect(later.served.median).toBeGreaterThan(LATER.served);
  },
);
