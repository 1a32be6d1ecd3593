import { once } from "node:events";
import { connect } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { errorBody } from "../src/errors.ts";
import { json, startThings } from "../testing/start-things.ts";

const MAX_IN_FLIGHT = 8;
const BURST = 400;
const MIB = 2 ** 20;

test("requests beyond MAX_IN_FLIGHT get 503 with Retry-After while the others wait, in bounded memory", async () => {
  let gate = Promise.withResolvers<void>();
  gate.resolve();
  await using service = await startThings({
    env: { MAX_IN_FLIGHT: String(MAX_IN_FLIGHT) },
    before: () => gate.promise,
  });
  const add = async (): Promise<Response> => {
    const response = await service.request("/things", json({ name: "x".repeat(255) }));
    await response.clone().text(); // frees the connection for the next request
    return response;
  };
  const memory: number[] = [];
  await Promise.all(Array.from({ length: BURST }, add)); // loads all modules and opens all connections
  for (const _ of ["a first burst", "a second", "a third"]) {
    gate = Promise.withResolvers();
    const refused: Response[] = [];
    const { promise: shed, resolve } = Promise.withResolvers<void>();
    const burst = Array.from({ length: BURST }, async () => {
      const response = await add();
      if (response.status === 503) refused.push(response);
      if (refused.length === BURST - MAX_IN_FLIGHT) resolve();
      return response.status;
    });

    await shed; // before the waiting requests continue
    const { status } = await service.request("/things");
    expect(status).toBe(503);
    memory.push(heapUsed());
    for (const response of refused) {
      expect(response.headers.get("Retry-After")).toBe("1");
      expect(await response.json()).toEqual(errorBody("unavailable"));
    }
    gate.resolve();
    const statuses = await Promise.all(burst);
    expect(statuses.filter((one) => one === 201)).toHaveLength(MAX_IN_FLIGHT);
    await expect.poll(async () => (await service.request("/things")).status).toBe(200);
  }
  expect(memory.at(-1)! - memory[1]!).toBeLessThan(32 * MIB);
});

test("a request at the limit waits for others to end, and is then served", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let begun = 0;
  const before = () => (begun++, released);
  await using service = await startThings({ env: { MAX_IN_FLIGHT: "2" }, before });
  const responses = Array.from({ length: 6 }, () => service.request("/things"));
  await expect.poll(() => begun).toBe(2);
  release();
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual(Array(6).fill(200));
  expect(begun).toBe(6);
});

test("no work is done for a client that leaves while its request waits", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let begun = 0;
  const before = () => (begun++, released);
  await using service = await startThings({ env: { MAX_IN_FLIGHT: "1" }, before });
  const first = service.request("/things");
  await expect.poll(() => begun).toBe(1);
  const left = service.request("/things", { signal: AbortSignal.timeout(100) });
  await expect(left).rejects.toThrow("timeout");
  await expect.poll(() => service.lines().map(({ msg }) => msg)).toContain("request aborted");
  release();
  expect((await first).status).toBe(200);
  expect((await service.request("/things")).status).toBe(200);
  expect(begun).toBe(2);
});

test("a request whose body has not arrived does not count", async () => {
  await using service = await startThings({ env: { MAX_IN_FLIGHT: "1" } });
  const { hostname, port, pathname } = new URL(service.baseUrl);
  const slow = connect(Number(port), hostname);
  const head = [
    `POST ${pathname}/things HTTP/1.1`,
    "Host: a",
    "Authorization: Bearer good",
    "Content-Type: application/json",
    "Content-Length: 20",
    "Expect: 100-continue",
  ];
  slow.write(`${head.join("\r\n")}\r\n\r\n`);
  expect(String(await once(slow, "data"))).toContain("100 Continue");
  for (let count = 0; count < 3; count++) expect((await service.request("/things")).status).toBe(200);
  slow.destroy();
});

test("probes get 200 while the service is at its capacity", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await using service = await startThings({ env: { MAX_IN_FLIGHT: "1" }, before: () => released });
  const first = service.request("/things");
  await expect.poll(async () => (await service.request("/things")).status).toBe(503);
  for (const path of ["/healthz", "/readyz"]) {
    expect((await fetch(new URL(path, service.baseUrl))).status).toBe(200);
  }
  release();
  expect((await first).status).toBe(200);
});

function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}
