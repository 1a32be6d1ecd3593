import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { needsPosix } from "@platform/test-support/machine";
import { describe, expect, test } from "vitest";
import { Service } from "../../src/dev/service.ts";
import { watchSaves } from "../../src/dev/watch.ts";
import { held, started, temporaryFolder, writeProgram } from "./started.ts";

describe("the service", () => {
  describe("the service", { timeout: 20_000 }, () => {
    test("runs in the checkout, with the same environment, an IPC channel and no shutdown delay", async () => {
      const facts = "[process.argv[2], process.cwd(), process.env.PATH, process.env.SHUTDOWN_DELAY, process.connected]";
      const { root } = await started(`require("node:fs").writeFileSync("facts", JSON.stringify(${facts}));`);
      const { PATH, SHUTDOWN_DELAY = "0" } = process.env;
      expect(JSON.parse(readFileSync(join(root, "facts"), "utf8"))).toEqual([
        "serve",
        realpathSync(root),
        PATH,
        SHUTDOWN_DELAY,
        true,
      ]);
    });

    test("takes its address from the line that ends with it, and prints only log lines", async () => {
      const lines = ["Nobody is listening on ", "It is listening on http://a soon", '{"level":"info"}', "It has a {"];
      const { printed } = await started(`console.log(${JSON.stringify(lines.join("\n"))});`);
      expect(printed).toEqual(['{"level":"info"}']);
    });

    test.for([
      ["by itself", "SIGUSR2"],
      ["by a signal", "SIGKILL"],
    ] as const)(
      "has no address after it ends %s, and can be stopped and restarted",
      async ([_how, signal], context) => {
        if (signal === "SIGUSR2") needsPosix(context, "SIGUSR2");
        const { service, pid } = await started("process.on('SIGUSR2', () => process.exit(1));");
        const first = pid();
        process.kill(first, signal);
        await expect.poll(() => service.address).toBeUndefined();
        await service.stop();
        expect(await service.restart()).toBe("http://127.0.0.1:1/v1");
        expect(pid()).not.toBe(first);
      },
    );

    test("has no address if it ends before it listens", async () => {
      const root = temporaryFolder();
      writeProgram(root, "process.exit();");
      const service = new Service(root, () => {});
      expect(await service.restart()).toBeUndefined();
      expect(service.address).toBeUndefined();
    });

    test("receives the message `shutdown` when it is stopped", async () => {
      const { service, root } = await started(
        "process.on('message', (message) => require('node:fs').writeFileSync('asked', message));",
      );
      await service.stop();
      expect(readFileSync(join(root, "asked"), "utf8")).toBe("shutdown");
    });

    test("continues if its successor ends before it listens, or has not listened before the signal", async () => {
      const { service, root, pid } = await started("");
      const first = pid();
      writeProgram(root, "process.exit(1);");
      expect(await service.restart()).toBeUndefined();
      writeProgram(root, 'require("node:fs").writeFileSync("endless", String(process.pid)); for (;;) ;');
      const givenUp = new AbortController();
      const restarted = service.restart(givenUp.signal);
      await expect.poll(() => existsSync(join(root, "endless"))).toBe(true);
      givenUp.abort();
      expect(await restarted).toBeUndefined();
      const endless = Number(readFileSync(join(root, "endless"), "utf8"));
      await expect.poll(() => isRunning(endless)).toBe(false);
      expect(service.address).toBe("http://127.0.0.1:1/v1");
      expect(() => process.kill(first, 0)).not.toThrow();
    });
  });

  function isRunning(pid: number): boolean {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  }
});

describe("the process", () => {
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
});
