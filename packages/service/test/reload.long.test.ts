import { Agent } from "node:http";
import { setTimeout } from "node:timers/promises";
import { answeringProcesses } from "@platform/test-support/program";
import { describe, expect, test } from "vitest";
import { preparations, reload, reloads, send, startProgram } from "./things-program.ts";

/** The pause between the requests of a client, in milliseconds. */
const PAUSE = 5;

describe("SIGUSR2", () => {
  test("drops no request of several processes, and keeps the service ready", async () => {
    const program = await startProgram({ WEB_CONCURRENCY: "2", SHUTDOWN_DELAY: "1" });
    const done = new AbortController();
    const client = async (method: string, path: string, keepAlive: boolean): Promise<unknown[]> => {
      const agent = new Agent({ keepAlive, maxSockets: 1 });
      const statuses = new Set<unknown>();
      for (; !done.signal.aborted; await setTimeout(PAUSE))
        statuses.add((await send(program, method, path, agent)).status);
      agent.destroy();
      return [...statuses];
    };
    const clients = Promise.all(
      [true, true, true, false].flatMap((keepAlive) => [
        client("POST", "/v1/things", keepAlive),
        client("GET", "/readyz", keepAlive),
      ]),
    );
    await expect.poll(() => answeringProcesses(program).size).toBe(2);
    await reload(program);
    await expect.poll(() => answeringProcesses(program).size).toBe(4);
    done.abort();
    expect(await clients).toEqual(Array.from({ length: 4 }, () => [[201], [200]]).flat());
    expect(await program.stop()).toBe(0);
  });

  test("causes one more reload if it arrives during a reload, however often", async () => {
    const program = await startProgram({ WEB_CONCURRENCY: "2" }, "faulty");
    program.child.kill("SIGUSR2");
    await expect.poll(() => preparations(program), { interval: 1 }).toBe(2);
    for (let sent = 0; sent < 3; sent++) {
      program.child.kill("SIGUSR2");
      await setTimeout(20); // the system merges signals that follow at once
    }
    await expect.poll(() => reloads(program)).toBe(2);
    expect(await program.stop()).toBe(0);
    expect(preparations(program)).toBe(3);
  });

  test("does not keep SIGTERM from stopping the service", async () => {
    const program = await startProgram({ WEB_CONCURRENCY: "2" }, "faulty");
    program.child.kill("SIGUSR2");
    await expect.poll(() => preparations(program), { interval: 1 }).toBe(2);
    expect(await program.stop("SIGTERM")).toBe(0);
    expect(reloads(program)).toBe(0);
    expect(program.output()).toContain('"signal":"SIGTERM","msg":"stopped"');
  });
});
