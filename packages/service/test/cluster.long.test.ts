import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { Agent } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { SERVICE } from "@openapi-operations/command-line/name";
import { freePort, needsPosix } from "@platform/test-support/machine";
import { answeringProcesses, metricsOf, type Program, sampleOf } from "@platform/test-support/program";
import { temporaryFolder } from "@platform/test-support/temporary";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { environment, pathOf, preparations, reload, reloads, send, startProgram } from "./things-program.ts";

describe("a cluster", () => {
  test("a service in the cluster of another program waits for it while it is busy", async () => {
    const [program, env] = [pathOf("things"), environment({ PORT: "0" })].map((value) => JSON.stringify(value));
    const primary = `
    import cluster from "node:cluster";
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({ exec: ${program}, args: ["serve"], execArgv: [] });
    const worker = cluster.fork(${env});
    worker.on("online", () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000));
    worker.on("listening", () => worker.send("shutdown"));
    worker.on("exit", (code) => console.log("ended with", code));`;
    const options = ["--input-type=module", "--eval", primary];
    expect((await promisify(execFile)(process.execPath, options)).stdout).toMatch(
      / are listening on .*ended with 0\n$/s,
    );
  });

  describe("WEB_CONCURRENCY", () => {
    test("=3 starts three processes, and /metrics adds up their values", async () => {
      const program = await startProgram({ WEB_CONCURRENCY: "3", METRICS_PORT: "0" });
      for (let count = 0; count < 10; count++) expect((await send(program, "POST", "/v1/things")).status).toBe(201);
      await expect.poll(() => answeringProcesses(program).size).toBe(3);
      const created = 'http_requests_total{operation_id="createThing",status="201"}';
      await expect.poll(() => sampleOf(program, created)).toBe(10);
      expect(await program.stop()).toBe(0);
    });

    test("replaces and counts a killed process while the others respond", async (context) => {
      needsPosix(context, "signals in the result of a process");
      const program = await startProgram({ WEB_CONCURRENCY: "2", METRICS_PORT: "0" });
      const answered = async (): Promise<Set<number>> => {
        expect((await send(program, "GET", "/v1/things")).status).toBe(200);
        return answeringProcesses(program);
      };
      await expect.poll(async () => (await answered()).size).toBe(2);
      const [killed = 0] = answeringProcesses(program);
      process.kill(killed, "SIGKILL");
      await expect.poll(() => program.output()).toContain("a process ended and is replaced");
      await expect.poll(async () => (await answered()).size, { timeout: 10_000 }).toBe(3);
      expect(program.output()).toMatch(new RegExp(`"process":${killed},"code":null,"signal":"SIGKILL"`));
      expect(await sampleOf(program, `${SERVICE.metricsPrefix}_processes_replaced_total`)).toBe(1);
      const age = Date.now() / 1_000 - (await sampleOf(program, "process_start_time_seconds"));
      expect(age).toBeGreaterThan(0);
      expect(age).toBeLessThan(60);
      expect(await program.stop()).toBe(0);
    });

    test("kills and replaces a process that hangs", async (context) => {
      needsPosix(context, "SIGSTOP");
      const program = await startProgram({ WEB_CONCURRENCY: "2" }, "frequent-pings");
      await expect
        .poll(async () => (await send(program, "GET", "/v1/things"), answeringProcesses(program).size))
        .toBe(2);
      const [hanging = 0] = answeringProcesses(program);
      process.kill(hanging, "SIGSTOP");
      onTestFinished(() => void (isRunning(hanging) && process.kill(hanging, "SIGKILL")));
      const waiting = Promise.allSettled([send(program, "GET", "/v1/things"), send(program, "GET", "/v1/things")]);
      const killed = `"process":${hanging},"msg":"a process hangs and is killed"`;
      await expect.poll(() => program.output(), { timeout: 30_000 }).toContain(killed);
      await expect.poll(() => isRunning(hanging)).toBe(false);
      const outcomes = (await waiting).map(({ status }) => status);
      expect(outcomes.toSorted()).toEqual(["fulfilled", "rejected"]); // the other worker responds; the killed one drops its connection
      const answered = async () => (await send(program, "GET", "/v1/things"), answeringProcesses(program).size);
      await expect.poll(answered, { timeout: 30_000 }).toBeGreaterThan(2);
    });

    test("returns the metrics of the responding processes while one hangs, with their number", async (context) => {
      needsPosix(context, "SIGSTOP");
      const program = await startProgram({ WEB_CONCURRENCY: "2", METRICS_PORT: "0" });
      const completed = 'http_requests_total{operation_id="listThings",status="200"}';
      for (const count of [2, 4]) {
        await Promise.all([send(program, "GET", "/v1/things"), send(program, "GET", "/v1/things")]);
        await expect.poll(() => sampleOf(program, completed)).toBe(count);
      }
      expect(await sampleOf(program, `${SERVICE.metricsPrefix}_processes`)).toBe(2);
      expect(await sampleOf(program, `${SERVICE.metricsPrefix}_processes_answered`)).toBe(2);
      for (let count = 0; count < 11; count++) await metricsOf(program); // each adds a listener, and removes it
      const [hanging = 0] = answeringProcesses(program);
      process.kill(hanging, "SIGSTOP");
      onTestFinished(() => void (isRunning(hanging) && process.kill(hanging, "SIGKILL")));
      const began = performance.now();
      const answers = await Promise.all(Array.from({ length: 12 }, () => metricsOf(program)));
      expect(performance.now() - began).toBeLessThan(3_000); // Prometheus waits for 10 s
      for (const { status, text: lines } of answers) {
        expect(status).toBe(200);
        expect(lines).toMatch(new RegExp(`^${SERVICE.metricsPrefix}_processes 2$`, "m"));
        expect(lines).toMatch(new RegExp(`^${SERVICE.metricsPrefix}_processes_answered 1$`, "m"));
        expect(lines).toMatch(/^http_requests_total\{operation_id="listThings",status="200"\} 2$/m);
      }
      process.kill(hanging, "SIGCONT");
      await expect.poll(() => sampleOf(program, `${SERVICE.metricsPrefix}_processes_answered`)).toBe(2);
      expect(await program.stop()).toBe(0);
      expect(program.output()).not.toContain("MaxListenersExceededWarning");
    });

    test("exits with the reason if its processes cannot start", async () => {
      const other = createServer().listen(0, "127.0.0.1");
      await once(other, "listening");
      onTestFinished(() => void other.close());
      const { port } = other.address() as AddressInfo;
      const env = environment({ PORT: String(port), WEB_CONCURRENCY: "2" });
      const ended = spawnSync(process.execPath, [pathOf("things")], { env, encoding: "utf8" });
      const { status, stdout, stderr } = ended;
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr.trimEnd().split("\n")).toEqual([
        `Cannot listen on 127.0.0.1:${port}: the address is already in use. Set HOST and PORT to a free address.`,
        "A worker process did not start. It ended with 1; see its error above.",
      ]);
    });

    test("prepares once, and exits with the reason if a killed process cannot be replaced", async () => {
      const fault = join(await temporaryFolder(), "fault");
      const program = await startProgram({ WEB_CONCURRENCY: "2", FAULT: fault }, "faulty");
      await expect
        .poll(async () => (await send(program, "GET", "/v1/things"), answeringProcesses(program).size))
        .toBe(2);
      expect(program.output()).toMatch(/^prepared\n[^]*listening on/);
      expect(program.output().match(/^prepared$/gm)).toHaveLength(1);
      await writeFile(fault, "");
      process.kill([...answeringProcesses(program)][0]!, "SIGKILL");
      expect(await once(program.child, "exit")).toEqual([1, null]);
      expect(program.output()).toMatch(/^the fault\n/m);
      expect(program.output()).toMatch(/^A worker process did not start\. It ended with 1; see its error above\.$/m);
    });

    test("ends after SHUTDOWN_TIMEOUT even if one of its processes hangs", async (context) => {
      needsPosix(context, "SIGSTOP");
      const program = await startProgram({ WEB_CONCURRENCY: "2", SHUTDOWN_TIMEOUT: "1" });
      await expect
        .poll(async () => (await send(program, "GET", "/v1/things"), answeringProcesses(program).size))
        .toBe(2);
      const [hanging = 0] = answeringProcesses(program);
      process.kill(hanging, "SIGSTOP");
      onTestFinished(() => void (isRunning(hanging) && process.kill(hanging, "SIGKILL")));
      expect(await program.stop()).toBe(0);
      expect(program.output()).toContain(
        `"processes":[${hanging}],"msg":"processes did not end after SHUTDOWN_TIMEOUT`,
      );
      await expect.poll(() => isRunning(hanging)).toBe(false);
    });

    test("ends every process if the first one is killed", async (context) => {
      needsPosix(context, "command `ps`");
      const program = await startProgram({ WEB_CONCURRENCY: "2" });
      await expect
        .poll(async () => (await send(program, "GET", "/v1/things"), answeringProcesses(program).size))
        .toBe(2);
      await program.stop("SIGKILL");
      for (const pid of answeringProcesses(program)) await expect.poll(() => isRunning(pid)).toBe(false);
    });
  });

  describe("while its processes start, a service", () => {
    beforeEach((context) => needsPosix(context, "signals that a program can handle"));

    // The first process serves after about 300 ms, and the other three 300 ms later.
    test.each([
      ["SIGTERM", "the first process", 0],
      ["SIGTERM", "the first process", 150],
      ["SIGINT", "every process", 0],
      ["SIGTERM", "every process", 300],
    ] as const)("drops no request after %s to %s, %i ms after its first response", async (signal, receiver, delay) => {
      const port = await freePort();
      const env = environment({ WEB_CONCURRENCY: "4", PORT: String(port), SHUTDOWN_DELAY: "1" });
      const child = spawn(process.execPath, [pathOf("things")], { env, detached: true });
      onTestFinished(() => void child.kill("SIGKILL"));
      const exit = once(child, "exit");
      const output = text(child.stdout);
      const errors = text(child.stderr);
      const service = { baseUrl: `http://127.0.0.1:${port}` };
      await expect.poll(() => send(service, "GET", "/healthz").catch(() => undefined), { interval: 5 }).toBeDefined();

      const clients = Array.from({ length: 4 }, () => untilAskedToClose(service));
      await setTimeout(delay);
      process.kill(receiver === "every process" ? -child.pid! : child.pid!, signal);
      expect(new Set((await Promise.all(clients)).flat())).toEqual(new Set([201]));
      expect(await exit).toEqual([0, null]);
      expect(await output).toContain(`"signal":"${signal}","msg":"stopped"`);
      expect(await errors).toBe("");
    });

    test("ends with 0 after SIGTERM while it prepares, which may take long", async () => {
      const child = spawn(process.execPath, [pathOf("faulty")], { env: environment({ ENDLESS_MIGRATION: "1" }) });
      onTestFinished(() => void child.kill("SIGKILL"));
      await once(child.stdout, "data");
      child.kill("SIGTERM");
      expect(await once(child, "exit")).toEqual([0, null]);
    });
  });

  /** Creates things on one connection until the service closes it. Returns each status. */
  async function untilAskedToClose(service: { baseUrl: string }): Promise<unknown[]> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const statuses: unknown[] = [];
    for (let isOpen = true; isOpen; await setTimeout(5)) {
      const { status, connection } = await send(service, "POST", "/v1/things", agent);
      statuses.push(status);
      isOpen = connection !== "close";
    }
    agent.destroy();
    return statuses;
  }

  /** Whether the process runs. A process that has ended may still be listed as a zombie. */
  function isRunning(pid: number): boolean {
    const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
    return !/^(Z|$)/.test(stdout.trim());
  }

  test("worker processes leave signals to the first process, because a terminal sends them to all", async (context) => {
    needsPosix(context, "command `ps`");
    const program = await startProgram({ WEB_CONCURRENCY: "2" });
    const workers = childrenOf(program);
    expect(workers).toHaveLength(2);
    for (const pid of workers) for (const signal of ["SIGINT", "SIGTERM"] as const) process.kill(pid, signal);
    for (let times = 0; times < 4; times++) {
      const { status } = await fetch(new URL("/healthz", program.baseUrl), { headers: { Connection: "close" } });
      expect(status).toBe(200);
    }
    expect(childrenOf(program)).toEqual(workers);
    expect(program.output()).not.toContain("a process ended");
    expect(await program.stop("SIGINT")).toBe(0);
  });

  function childrenOf({ child }: Program): number[] {
    const { stdout } = spawnSync("ps", ["-o", "pid=", "--ppid", String(child.pid)], { encoding: "utf8" });
    return stdout.trim().split(/\s+/).map(Number);
  }
});

describe("a reload", () => {
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
});
