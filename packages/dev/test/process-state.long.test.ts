import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { saves } from "../src/saves.ts";
import { Service } from "../src/service.ts";

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "dev-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** How many of a kind keep this process from ending. */
function held(kind: RegExp): number {
  return process.getActiveResourcesInfo().filter((name) => kind.test(name)).length;
}

test("folders are watched until the loop is told to stop, and no longer", async () => {
  const root = temporaryFolder();
  for (const folder of ["whole/below", "top/below"]) mkdirSync(join(root, folder), { recursive: true });
  const stopping = new AbortController();
  const before = held(/FSEvent/);
  const later = saves(root, { whole: ["whole"], top: ["top"] }, stopping.signal);
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

describe("a service that is stopped", () => {
  test("has ended, and leaves no timer", async () => {
    const { service, pid } = await started("");
    const before = held(/Timeout/);
    await service.stop();
    expect(held(/Timeout/)).toBe(before);
    expect(service.address).toBeUndefined();
    expect(() => process.kill(pid(), 0)).toThrow("ESRCH");
    await service.stop(); // which has nothing left to do
  });

  test("is killed when it has not ended after five seconds", async () => {
    const { service, pid } = await started("process.on('SIGTERM', () => {});");
    const began = performance.now();
    await service.stop();
    expect(performance.now() - began).toBeGreaterThanOrEqual(4_990);
    expect(() => process.kill(pid(), 0)).toThrow("ESRCH");
  });
});

/** A program in the place of the service that writes down its number, and says that it listens. */
async function started(statement: string): Promise<{ service: Service; pid: () => number }> {
  const root = temporaryFolder();
  const program = join(root, "apps/server/bin/petstore.js");
  mkdirSync(dirname(program), { recursive: true });
  writeFileSync(
    program,
    `${statement} require("node:fs").writeFileSync("pid", String(process.pid)); setInterval(() => {}, 1e6);
     console.log("It is listening on http://127.0.0.1:1/v1");`,
  );
  const service = new Service(root);
  const pid = () => Number(readFileSync(join(root, "pid"), "utf8"));
  onTestFinished(() => {
    if (service.address !== undefined) process.kill(pid(), "SIGKILL");
  });
  expect(await service.restart()).toBe("http://127.0.0.1:1/v1");
  expect(service.address).toBe("http://127.0.0.1:1/v1");
  return { service, pid };
}
