import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { startService } from "../src/life/start-service.ts";
import { createLogger } from "../src/observability/request-log.ts";
import { thingsService } from "../testing/things.ts";

/** A service of things that records calls of `stopWaiting` and `close`. */
function recordedService(env: NodeJS.ProcessEnv) {
  const calls: (string | number)[] = [];
  const service = thingsService({ env });
  const open: typeof service.open = async (context) => {
    context.onClose(async () => void calls.push("closed"));
    return { ...(await service.open(context)), stopWaiting: (afterMs) => void calls.push(afterMs) };
  };
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

test.each([
  ["drain", "503"],
  ["retire", "200"],
] as const)("after %s, a readiness probe that arrives during close gets %s", async (announcement, status) => {
  const service = await startService(recordedService({}).definition, createLogger("silent"));
  const { hostname, port } = new URL(service.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /readyz HTTP/1.1\r\nHost: x\r\n");
  await once(socket, "data"); // the beginning of the second request has arrived too
  service[announcement]();
  const closed = service.close();
  socket.write("\r\n");
  expect(await text(socket)).toContain(`HTTP/1.1 ${status} `);
  await closed;
});

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
  const things = thingsService({});
  const open: typeof things.open = (context) => {
    for (const number of [1, 2, 3]) {
      context.onClose(async () => {
        closed.push(number);
        if (number === 2) throw new Error("no");
      });
    }
    return things.open(context);
  };
  const service = await startService({ ...things, open }, createLogger("silent"));
  await expect(service.close()).rejects.toThrow("no");
  expect(closed).toEqual([3, 2, 1]);
});
