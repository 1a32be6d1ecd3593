import { fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { temporaryFolder } from "@platform/test-support/temporary";
import Sqlite from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { expectError } from "../testing/service.ts";
import { ENTRY, type Program, startProgram } from "./program.ts";

/** `pnpm --filter server test:shutdown` runs 30. */
const cyclesOf = (usual: number): number => Number(process.env["SHUTDOWN_CYCLES"] ?? usual);
const ANSWERS_BEFORE_SIGTERM = 200;
/** Between the requests of a client, in milliseconds: what counts is that there are always some, not how many. */
const PAUSE = 5;

describe("SIGTERM", () => {
  test.each([
    [1, cyclesOf(2)],
    [2, cyclesOf(1)],
  ])(
    "under load of %i processes drops no request, %i times on one database",
    { timeout: 180_000 + cyclesOf(2) * 20_000 },
    async (processes, cycles) => {
      const folder = await temporaryFolder();
      let created = 0;
      for (let cycle = 0; cycle < cycles; cycle++) {
        const program = await startProgram(folder, {
          SHUTDOWN_DELAY: "1",
          LOG_LEVEL: "error",
          WEB_CONCURRENCY: String(processes),
        });
        const answers = await loadUntilStopped(program);
        expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
        expect(answers.length).toBeGreaterThanOrEqual(ANSWERS_BEFORE_SIGTERM);
        expect(new Set(answers.map(({ id }) => id)).size).toBe(answers.length);
        created += answers.length;
        expect(animalsIn(folder)).toBe(created);
      }
    },
  );

  test("fails /readyz first, and goes on accepting connections, each for one answer", async () => {
    const program = await startProgram(await temporaryFolder(), { SHUTDOWN_DELAY: "300" });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect((await post(program, agent)).headers.connection).toBe("keep-alive");
    program.child.kill("SIGTERM");
    const readyz = new URL("/readyz", program.baseUrl);
    await expect.poll(async () => (await fetch(readyz)).status).toBe(503);
    await expectError(await fetch(readyz), 503, "unavailable");
    for (const _ of ["the connection from before", "a new one"]) {
      const { statusCode, headers } = await post(program, agent);
      expect({ statusCode, connection: headers.connection }).toEqual({ statusCode: 201, connection: "close" });
    }
    agent.destroy();
    expect(await program.stop("SIGTERM")).toBe(128 + 15); // the second signal ends the delay, and all else
  });

  test.each([1, 2])("is done in time with %i processes, whatever clients do", async (processes) => {
    const env = { SHUTDOWN_TIMEOUT: "1", WEB_CONCURRENCY: String(processes) };
    const program = await startProgram(await temporaryFolder(), env);
    const halves = [
      "GET /v1/pets HTTP/1.1\r\nHost: x\r\n",
      `${postHead(program)}Content-Length: 60\r\n\r\n{"name":`,
      "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(400), // more answers than the system's buffers hold
      "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n",
    ];
    const sockets = await Promise.all(halves.map((half) => stuckClient(program, half)));
    const began = performance.now();
    expect(await program.stop("SIGTERM")).toBe(0);
    const seconds = (performance.now() - began) / 1_000;
    expect(seconds).toBeGreaterThan(0.9);
    expect(seconds).toBeLessThan(4); // Node alone would wait for 10 s, and for as long as the reader likes
    expect(program.output()).toContain("connections were still open after SHUTDOWN_TIMEOUT");
    for (const socket of sockets) socket.destroy();
  });

  test.each([1, 2])("leaves no client waiting that comes while %i processes wait for another", async (processes) => {
    const program = await startProgram(await temporaryFolder(), { WEB_CONCURRENCY: String(processes) });
    const slow = await stuckClient(program, "GET /v1/pets HTTP/1.1\r\nHost: x\r\n");
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

  test("answers those with 503 whose writes wait for another process, and leaves it the lock", async () => {
    const folder = await temporaryFolder();
    const program = await startProgram(folder, { SHUTDOWN_TIMEOUT: "1" });
    const holder = new Sqlite(join(folder, "data/petstore.db")).exec("begin immediate");
    const body = '{"name":"Rex","categoryId":1}';
    const socket = await stuckClient(program, `${postHead(program)}Content-Length: ${body.length}\r\n\r\n${body}`);
    const answer = text(socket);
    expect(await program.stop("SIGTERM")).toBe(0);
    expect(await answer).toMatch(/^HTTP\/1.1 503 [^]*"code":"unavailable"/);
    holder.exec("rollback").close();
    expect(animalsIn(folder)).toBe(0);
  });

  test.each([
    ["SIGTERM", 1, 143],
    ["SIGINT", 2, 130],
  ] as const)("a second one, %s, ends it at once with %i processes", async (signal, processes, code) => {
    const program = await startProgram(await temporaryFolder(), { WEB_CONCURRENCY: String(processes) });
    const socket = await stuckClient(program, "GET /v1/pets HTTP/1.1\r\nHost: x\r\n");
    program.child.kill("SIGTERM");
    await expect.poll(() => acceptsConnections(program)).toBe(false);
    const began = performance.now();
    expect(await program.stop(signal)).toBe(code);
    expect(performance.now() - began).toBeLessThan(2_000);
    socket.destroy();
  });
});

describe.each([1, 2])("of %i processes", (processes) => {
  const env = { WEB_CONCURRENCY: String(processes) };

  test("SIGHUP, as when a terminal is closed, finishes what is in flight like SIGTERM", async () => {
    const folder = await temporaryFolder();
    const program = await startProgram(folder, env);
    const body = '{"name":"Rex","categoryId":1}';
    const head = `${postHead(program)}Content-Length: ${body.length}\r\n\r\n`;
    const socket = await stuckClient(program, head + body.slice(0, 9));
    program.child.kill("SIGHUP");
    await expect.poll(() => acceptsConnections(program)).toBe(false);
    const answer = text(socket);
    socket.end(body.slice(9));
    expect(await answer).toMatch(/^HTTP\/1.1 201 /);
    expect((await once(program.child, "close"))[0]).toBe(0);
    expect(program.output()).toContain('"signal":"SIGHUP","msg":"stopped"');
    expect(animalsIn(folder)).toBe(1);
  });

  test("no signal opens the inspector", async () => {
    const program = await startProgram(await temporaryFolder(), env);
    const pids = [program.child.pid!, ...workersOf(program)];
    expect(pids).toHaveLength(processes === 1 ? 1 : processes + 1);
    for (const pid of pids) process.kill(pid, "SIGUSR1");
    for (const pid of workersOf(program)) {
      const { stdout } = spawnSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" });
      expect(stdout).toContain(" --disable-sigusr1 "); // so that it holds while they load, too
    }
    for (const _ of pids) expect(await acceptsConnections(program)).toBe(true);
    expect(await program.stop()).toBe(0);
    expect(program.output()).not.toContain("Debugger");
  });

  test("it ends when the process that has started it over a channel is gone", async () => {
    const folder = await temporaryFolder();
    const child = fork(ENTRY, ["serve"], {
      cwd: folder,
      env: { ...env, PORT: "0", SHUTDOWN_DELAY: "0" },
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let output = "";
    child.stdout!.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await expect.poll(() => output).toContain("listening on");
    child.disconnect(); // what the end of this process does as well
    expect((await once(child, "exit"))[0]).toBe(0);
    await expect.poll(() => output).toContain('"parent":"ended","msg":"stopped"');
  });
});

/** The processes that a service has started. */
function workersOf({ child }: Program): number[] {
  const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  const processes = stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/ +/).map(Number));
  return processes.flatMap(([pid, parent]) => (parent === child.pid ? [pid!] : []));
}

/** A client that has sent something, and does nothing more. */
async function stuckClient({ baseUrl }: Program, sent: string): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }).on("error", () => {});
  await once(socket, "connect");
  await new Promise((done) => socket.write(sent, done));
  expect((await fetch(new URL("/healthz", baseUrl))).status).toBe(200); // so that which came before has arrived
  return socket;
}

function postHead({ key }: Program): string {
  return `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
}

async function acceptsConnections({ baseUrl }: Program): Promise<boolean> {
  return fetch(new URL("/healthz", baseUrl)).then(
    () => true,
    () => false,
  );
}

interface Answer {
  status: number | undefined;
  id: number;
}

/** Clients of three kinds create animals until SIGTERM has ended the service, and give every answer they got. */
async function loadUntilStopped(program: Program): Promise<Answer[]> {
  const answers: Answer[] = [];
  const { promise: loaded, resolve: enough } = Promise.withResolvers<void>();
  const stopping = new AbortController();
  const create = async (agent: Agent): Promise<string | undefined> => {
    const response = await post(program, agent);
    answers.push({ status: response.statusCode, id: response.id });
    if (answers.length === ANSWERS_BEFORE_SIGTERM) enough();
    return response.headers.connection;
  };
  const untilToldToClose = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while ((await create(agent)) !== "close") await setTimeout(PAUSE);
    agent.destroy();
  };
  const whileReady = async (agent: Agent): Promise<void> => {
    for (; !stopping.signal.aborted; await setTimeout(PAUSE)) await create(agent);
  };
  const watching = async (): Promise<void> => {
    while ((await fetch(new URL("/readyz", program.baseUrl))).ok) await setTimeout(PAUSE);
    stopping.abort();
  };
  const clients = Promise.all([
    watching(),
    ...Array.from({ length: 8 }, untilToldToClose),
    ...Array.from({ length: 4 }, () => whileReady(new Agent({ keepAlive: false }))),
    ...Array.from({ length: 4 }, () => whileReady(new Agent({ keepAlive: true, maxSockets: 1 }))),
  ]);
  await Promise.race([loaded, clients]);
  const exit = program.stop("SIGTERM");
  await clients;
  expect(await exit).toBe(0);
  return answers;
}

/** Node's own client, since `fetch` would try again by itself what was dropped. */
async function post(program: Program, agent: Agent): Promise<IncomingMessage & { id: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { Authorization: `Bearer ${program.key}`, "Content-Type": "application/json" };
  request(`${program.baseUrl}/pets`, { method: "POST", agent, headers })
    .on("response", resolve)
    .on("error", reject)
    .end('{"name":"Rex","categoryId":1}');
  const response = await promise;
  const { id } = JSON.parse(await text(response)) as { id: number };
  return Object.assign(response, { id });
}

function animalsIn(folder: string): unknown {
  const file = new Sqlite(join(folder, "data/petstore.db"), { readonly: true });
  const count = file.prepare("select count(*) from pets").pluck().get();
  file.close();
  return count;
}
