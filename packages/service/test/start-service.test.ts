import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { CloseStack } from "../src/life/close-stack.ts";
import { startService } from "../src/life/start-service.ts";
import { createLogger } from "../src/observability/request-log.ts";
import { thingsService } from "../testing/things.ts";

/** A service of things that records calls of `stopWaiting` and `close`. */
function recordedService(env: NodeJS.ProcessEnv) {
  const calls: (string | number)[] = [];
  const service = thingsService({ env });
  const open: typeof service.open = async (surroundings) => ({
    ...(await service.open(surroundings)),
    stopWaiting: (afterMs) => void calls.push(afterMs),
    close: async () => void calls.push("closed"),
  });
  return { definition: { ...service, open }, calls };
}

test.each([
  ["10", 9_500],
  ["1", 500],
  ["0", 0],
])(
  "with SHUTDOWN_TIMEOUT=%s, requests stop waiting after %i ms, before connections are closed",
  async (timeout, ms) => {
    const { definition, calls } = recordedService({ SHUTDOWN_TIMEOUT: timeout });
    const service = await startService(definition, createLogger("silent"));
    expect(calls).toEqual([]);
    await service.close();
    expect(calls).toEqual([ms, "closed"]);
  },
);

test("open resources are closed if the service cannot listen", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  onTestFinished(() => void other.close());
  const metrics = createServer().listen(0, "127.0.0.1");
  await once(metrics, "listening");
  const [taken, free] = [other, metrics].map((server) => String((server.address() as AddressInfo).port));
  metrics.close();
  await once(metrics, "close");

  const { definition, calls } = recordedService({ PORT: taken, METRICS_PORT: free });
  await expect(startService(definition, createLogger("silent"))).rejects.toThrow(`127.0.0.1:${taken}`);
  expect(calls).toEqual(["closed"]);
  await expect(fetch(`http://127.0.0.1:${free}/metrics`)).rejects.toThrow("fetch failed");
});

test("resources are closed in reverse order, even if one of them fails to close", async () => {
  const closed: number[] = [];
  const closeStack = new CloseStack();
  for (const number of [1, 2, 3]) {
    closeStack.add(async () => {
      closed.push(number);
      if (number === 2) throw new Error("no");
    });
  }
  await expect(closeStack.close()).rejects.toThrow("no");
  expect(closed).toEqual([3, 2, 1]);
});
