import { fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { needsPosix } from "@platform/test-support/machine";
import { type Program, stuckClient } from "@platform/test-support/program";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { environment, pathOf, startProgram } from "./things-program.ts";

const CUP = '{"name":"cup"}';
const POST = "POST /v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nContent-Type: application/json\r\n";

/** Tests how a service of so many processes ends. */
export function testShutdown(processes: number): void {
  const env = { WEB_CONCURRENCY: String(processes) };

  describe("SIGTERM", () => {
    beforeEach((context) => needsPosix(context, "signals that a program can handle"));

    test("ends after SHUTDOWN_TIMEOUT, even if clients are stuck", async () => {
      const limit = processes === 1 ? 1 : 3; // longer than the time that the primary waits beyond the limit
      const program = await startProgram({ ...env, SHUTDOWN_TIMEOUT: String(limit) });
      const halves = [
        "GET /v1/things HTTP/1.1\r\nHost: x\r\n",
        `${POST}Content-Length: 60\r\n\r\n{"name":`,
        `GET ${await scriptOf(program)} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(100), // the responses exceed the system's buffers
        "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n",
      ];
      const sockets = await Promise.all(halves.map((half) => stuckClient(program, half)));
      const began = performance.now();
      expect(await program.stop("SIGTERM")).toBe(0);
      const seconds = (performance.now() - began) / 1_000;
      expect(seconds).toBeGreaterThan(limit - 0.1);
      expect(seconds).toBeLessThan(limit + 3); // Node alone would wait 10 s, or without limit for a slow reader
      const left = program
        .output()
        .matchAll(/"connections":(\d+),"msg":"connections were still open after SHUTDOWN_TIMEOUT"/g);
      const counts = Array.from(left, ([, connections]) => Number(connections));
      expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(3); // all but CONNECT, which is answered
      for (const socket of sockets) socket.destroy();
    });

    test("ends event streams in order, and logs each once", async () => {
      const program = await startProgram(env);
      const responses = await Promise.all(
        [1, 2, 3].map(() => fetch(`${program.baseUrl}/things/events`, { headers: { Authorization: "Bearer good" } })),
      );
      const texts = Promise.all(responses.map((response) => response.text())); // rejects for a broken response
      const began = performance.now();
      expect(await program.stop("SIGTERM")).toBe(0);
      expect(performance.now() - began).toBeLessThan(9_000); // SHUTDOWN_TIMEOUT is 10 s
      expect(await texts).toEqual(["", "", ""]);
      const lines = program
        .output()
        .split("\n")
        .filter((line) => line.includes('"watchThings"'));
      expect(lines).toHaveLength(3);
      for (const line of lines)
        expect(JSON.parse(line)).toMatchObject({ msg: "request completed", res: { status: 200 } });
      expect(program.output()).not.toContain("connections were still open after SHUTDOWN_TIMEOUT");
    });

    test("leaves no new client waiting while it waits for a slow client", async () => {
      const program = await startProgram(env);
      const slow = await stuckClient(program, "GET /v1/things HTTP/1.1\r\nHost: x\r\n");
      const agent = new Agent({ keepAlive: false });
      const untilRefused = (): Promise<void> => post(program, agent).then(untilRefused, () => {});
      const clients = Array.from({ length: 20 }, untilRefused);
      await post(program, agent);
      const exit = program.stop("SIGTERM");
      await Promise.all(clients);
      slow.destroy();
      expect(await exit).toBe(0);
      expect(program.output()).not.toContain("connections were still open after SHUTDOWN_TIMEOUT");
    });

    test("ends the service at once if a second signal follows", async () => {
      const [signal, code] = processes === 1 ? (["SIGTERM", 143] as const) : (["SIGINT", 130] as const);
      const program = await startProgram(env);
      const socket = await stuckClient(program, "GET /v1/things HTTP/1.1\r\nHost: x\r\n");
      program.child.kill("SIGTERM");
      await expect.poll(() => acceptsConnections(program)).toBe(false);
      const began = performance.now();
      expect(await program.stop(signal)).toBe(code);
      expect(performance.now() - began).toBeLessThan(2_000);
      socket.destroy();
    });
  });

  test("SIGHUP completes the requests in flight, like SIGTERM", async (context) => {
    needsPosix(context, "signals that a program can handle");
    const program = await startProgram(env);
    const head = `${POST}Content-Length: ${CUP.length}\r\n\r\n`;
    const socket = await stuckClient(program, head + CUP.slice(0, 9));
    program.child.kill("SIGHUP");
    await expect.poll(() => acceptsConnections(program)).toBe(false);
    const answer = text(socket);
    socket.end(CUP.slice(9));
    expect(await answer).toMatch(/^HTTP\/1.1 201 /);
    expect((await once(program.child, "close"))[0]).toBe(0);
    expect(program.output()).toContain('"signal":"SIGHUP","msg":"stopped"');
  });

  test("no signal opens the inspector", async (context) => {
    needsPosix(context, "signals that a program can handle");
    const program = await startProgram(env);
    const pids = [program.child.pid!, ...workersOf(program)];
    expect(pids).toHaveLength(processes === 1 ? 1 : processes + 1);
    for (const pid of pids) process.kill(pid, "SIGUSR1");
    for (const pid of workersOf(program)) {
      const { stdout } = spawnSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" });
      expect(stdout).toContain(" --disable-sigusr1 "); // the option also applies while workers load
    }
    for (const _ of pids) expect(await acceptsConnections(program)).toBe(true);
    expect(await program.stop()).toBe(0);
    expect(program.output()).not.toContain("Debugger");
  });

  test("a channel to the parent process does not keep the service alive", async (context) => {
    needsPosix(context, "signals that a program can handle");
    const child = fork(pathOf("things"), { env: environment(env), stdio: ["ignore", "pipe", "inherit", "ipc"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    let output = "";
    child.stdout!.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await expect.poll(() => output).toContain("listening on");
    child.kill("SIGTERM");
    expect((await once(child, "exit"))[0]).toBe(0);
  });

  test("the service ends if the channel to the parent process is closed", async () => {
    const child = fork(pathOf("things"), {
      env: environment(env),
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let output = "";
    child.stdout!.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await expect.poll(() => output).toContain("listening on");
    child.disconnect(); // the end of this process would close the channel too
    expect((await once(child, "exit"))[0]).toBe(0);
    await expect.poll(() => output).toContain('"parent":"ended","msg":"stopped"');
  });

  test("the message `shutdown` of the parent process ends the service, without SHUTDOWN_DELAY", async () => {
    const stdio = ["ignore", "pipe", "inherit", "ipc"] as const;
    const child = fork(pathOf("things"), { env: environment({ ...env, SHUTDOWN_DELAY: "300" }), stdio: [...stdio] });
    onTestFinished(() => void child.kill("SIGKILL"));
    let output = "";
    child.stdout!.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await expect.poll(() => output).toContain("listening on");
    child.send("another message");
    child.send("shutdown");
    expect((await once(child, "exit"))[0]).toBe(0);
    await expect.poll(() => output).toContain('"parent":"shutdown","msg":"stopped"');
  });
}

/** Returns the worker processes of a service. */
function workersOf({ child }: Program): number[] {
  const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  const processes = stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/ +/).map(Number));
  return processes.flatMap(([pid, parent]) => (parent === child.pid ? [pid!] : []));
}

async function acceptsConnections({ baseUrl }: Program): Promise<boolean> {
  return fetch(new URL("/healthz", baseUrl)).then(
    () => true,
    () => false,
  );
}

/** Sends a POST with Node's client, because `fetch` retries dropped requests by itself. */
export async function post(program: Program, agent: Agent): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { Authorization: `Bearer good`, "Content-Type": "application/json" };
  request(`${program.baseUrl}/things`, { method: "POST", agent, headers })
    .on("response", resolve)
    .on("error", reject)
    .end(CUP);
  const response = await promise;
  await text(response);
  return response;
}

/** Returns the path of the reference page's script, the largest response. */
async function scriptOf({ baseUrl }: Program): Promise<string> {
  const page = await (await fetch(new URL("/docs", baseUrl))).text();
  return /\/docs\/[^"]+/.exec(page)![0];
}
