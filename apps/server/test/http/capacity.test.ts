import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { pathOfFileUrl } from "@platform/storage/url";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { expectError, json, startService } from "../../testing/service.ts";

const MAX_IN_FLIGHT = 8;
const BURST = 400;
const MIB = 2 ** 20;

test("a burst beyond capacity gets 503 with Retry-After while the rest waits, in bounded memory", async () => {
  await using service = await startService({ MAX_IN_FLIGHT: String(MAX_IN_FLIGHT) });
  const add = async (): Promise<Response> => {
    const response = await service.request("/pets", json({ name: "x".repeat(255), categoryId: 1 }));
    await response.text(); // so that the next can have its connection
    return response;
  };
  const memory: number[] = [];
  await Promise.all(Array.from({ length: BURST }, add)); // everything is loaded then, and every connection open
  for (const _ of ["a first burst", "a second", "a third"]) {
    const refused: Response[] = [];
    const { promise: shed, resolve } = Promise.withResolvers<void>();
    const lock = new Sqlite(pathOfFileUrl(service.databaseUrl)).exec("begin immediate");
    const burst = Array.from({ length: BURST }, async () => {
      const response = await add();
      if (response.status === 503) refused.push(response);
      if (refused.length === BURST - MAX_IN_FLIGHT) resolve();
      return response.status;
    });

    await shed; // while the lock is held, for which the others wait 5 s
    await expectError(await service.request("/pets"), 503, "unavailable");
    memory.push(heapUsed());
    for (const response of refused) expect(response.headers.get("Retry-After")).toBe("1");
    lock.exec("rollback").close();
    const statuses = await Promise.all(burst);
    expect(statuses.filter((status) => status === 201)).toHaveLength(MAX_IN_FLIGHT);
    await expect.poll(async () => (await service.request("/pets")).status).toBe(200);
  }
  expect(memory.at(-1)! - memory[1]!).toBeLessThan(32 * MIB);
});

test("probes are answered however full it is", async () => {
  await using service = await startService({ MAX_IN_FLIGHT: "1" });
  const lock = new Sqlite(pathOfFileUrl(service.databaseUrl)).exec("begin immediate");
  const first = service.addPet();
  await expect.poll(async () => (await service.request("/pets")).status).toBe(503);
  for (const path of ["/healthz", "/readyz"]) {
    expect((await fetch(new URL(path, service.baseUrl))).status).toBe(200);
  }
  lock.exec("rollback").close();
  await first;
});

function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}
