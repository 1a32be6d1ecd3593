import { Agent, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { stuckClient } from "@platform/test-support/program";
import { temporaryFolder } from "@platform/test-support/temporary";
import Sqlite from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { type Program, startProgram } from "./start.ts";

/** `pnpm --filter server test:shutdown` runs 30. */
const cyclesOf = (usual: number): number => Number(process.env["SHUTDOWN_CYCLES"] ?? usual);
const ANSWERS_BEFORE_SIGTERM = 200;
/** The pause between the requests of a client, in milliseconds. The load has to be constant, not high. */
const PAUSE = 5;

describe("SIGTERM", () => {
  test.each([
    [1, cyclesOf(2)],
    [2, cyclesOf(1)],
  ])(
    "drops no request under load of %i processes, %i times on one database",
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
        expect(thingsIn(folder)).toBe(created);
      }
    },
  );

  test("gives 503 to writes that wait for another process, and leaves the lock to that process", async () => {
    const folder = await temporaryFolder();
    const program = await startProgram(folder, { SHUTDOWN_TIMEOUT: "1" });
    const holder = new Sqlite(join(folder, "data/things.db")).exec("begin immediate");
    const body = '{"name":"Rex"}';
    const socket = await stuckClient(program, `${postHead(program)}Content-Length: ${body.length}\r\n\r\n${body}`);
    const answer = text(socket);
    expect(await program.stop("SIGTERM")).toBe(0);
    expect(await answer).toMatch(/^HTTP\/1.1 503 [^]*"code":"unavailable"/);
    holder.exec("rollback").close();
    expect(thingsIn(folder)).toBe(0);
  });
});

function postHead({ key }: Program): string {
  return `POST /v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
}

interface Answer {
  status: number | undefined;
  id: number;
}

/** Clients of three kinds create things until SIGTERM has ended the service. Returns every response. */
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
  const untilAskedToClose = async (): Promise<void> => {
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
    ...Array.from({ length: 8 }, untilAskedToClose),
    ...Array.from({ length: 4 }, () => whileReady(new Agent({ keepAlive: false }))),
    ...Array.from({ length: 4 }, () => whileReady(new Agent({ keepAlive: true, maxSockets: 1 }))),
  ]);
  await Promise.race([loaded, clients]);
  const exit = program.stop("SIGTERM");
  await clients;
  expect(await exit).toBe(0);
  return answers;
}

/** Uses Node's own client, because `fetch` would retry a dropped request by itself. */
async function post(program: Program, agent: Agent): Promise<IncomingMessage & { id: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { Authorization: `Bearer ${program.key}`, "Content-Type": "application/json" };
  request(`${program.baseUrl}/things`, { method: "POST", agent, headers })
    .on("response", resolve)
    .on("error", reject)
    .end('{"name":"Rex"}');
  const response = await promise;
  const { id } = JSON.parse(await text(response)) as { id: number };
  return Object.assign(response, { id });
}

function thingsIn(folder: string): unknown {
  const file = new Sqlite(join(folder, "data/things.db"), { readonly: true });
  const count = file.prepare("select count(*) from things").pluck().get();
  file.close();
  return count;
}
