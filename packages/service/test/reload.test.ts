import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { needsPosix } from "@platform/test-support/machine";
import { answeringProcesses } from "@platform/test-support/program";
import { temporaryFolder } from "@platform/test-support/temporary";
import { beforeEach, describe, expect, test } from "vitest";
import { preparations, reload, reloads, send, startProgram } from "./things-program.ts";

describe("SIGUSR2", () => {
  beforeEach((context) => needsPosix(context, "SIGUSR2"));

  test("replaces every process, or none if a new one does not start, and prepares at each reload", async () => {
    const fault = join(await temporaryFolder(), "fault");
    const program = await startProgram({ WEB_CONCURRENCY: "2", FAULT: fault }, "faulty");
    const answered = async (): Promise<number[]> => {
      expect((await send(program, "GET", "/v1/things")).status).toBe(200);
      return [...answeringProcesses(program)];
    };
    await expect.poll(async () => (await answered()).length).toBe(2);
    await writeFile(fault, "");
    program.child.kill("SIGUSR2");
    const failed = '"msg":"the reload failed, and the processes that were not replaced go on"';
    await expect.poll(() => program.output()).toContain(failed);
    expect(program.output()).toMatch(/^the fault\n/m);
    const earlier = await answered();
    expect(earlier).toHaveLength(2);

    await rm(fault);
    await reload(program);
    for (const pid of earlier) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    await expect.poll(async () => (await answered()).length).toBe(4);
    expect(preparations(program)).toBe(3); // by the primary, and by the first new worker of each reload
    expect(program.output()).not.toContain("a process ended and is replaced");
    expect(await program.stop()).toBe(0);
  });

  test("only prepares a single process again, also after its start if it was signalled before", async () => {
    const program = await startProgram({ EARLY_RELOAD: "1" }, "faulty");
    await expect.poll(() => reloads(program)).toBe(1);
    await reload(program);
    expect(program.output()).toContain('"replaced":0,"msg":"reloaded"');
    expect(preparations(program)).toBe(3);
    expect(await program.stop()).toBe(0);
  });
});
