import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { watchSaves } from "../src/watch.ts";
import { held, started, temporaryFolder } from "./started.ts";

test("folders are watched only until the loop is stopped", { timeout: 20_000 }, async () => {
  const root = temporaryFolder();
  for (const folder of ["whole/below", "top/below"]) mkdirSync(join(root, folder), { recursive: true });
  const stopping = new AbortController();
  const before = held(/FSEvent/);
  const later = await watchSaves(root, { whole: ["whole"], top: ["top"] }, stopping.signal);
  const first = later.next();
  expect(held(/FSEvent/)).toBeGreaterThan(before);
  writeFileSync(join(root, "top/a.ts"), "");
  expect((await first).value?.files).toEqual(new Set(["top/a.ts"]));

  const second = later.next();
  stopping.abort();
  expect(await second).toEqual({ value: undefined, done: true });
  await expect.poll(() => held(/FSEvent/)).toBe(before);
  expect(await later.next()).toEqual({ value: undefined, done: true });
});

describe("a stopped service", { timeout: 20_000 }, () => {
  test("has ended, and leaves no timer", async () => {
    const { service, pid } = await started("");
    const before = held(/Timeout/);
    await service.stop();
    expect(held(/Timeout/)).toBeLessThanOrEqual(before); // other timers may have ended
    expect(service.address).toBeUndefined();
    expect(() => process.kill(pid(), 0)).toThrow("ESRCH");
    await service.stop(); // a second stop does nothing
  });
});
