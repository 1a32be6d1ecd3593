import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { inBatches } from "@platform/service/request-log";
import { pathOfFileUrl } from "@platform/storage/url";
import { temporaryFolder, temporaryUrl } from "@platform/test-support/temporary";
import { needsPosix } from "@platform/test-support/posix";
import Sqlite from "better-sqlite3";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { readConfig } from "../src/config.ts";
import { prepare } from "../src/prepare.ts";
import { start } from "../src/server.ts";
import { ownProgram, type Program, startProgram } from "./program.ts";

interface State {
  timers: number;
  listeners: string[];
  databaseFiles: string[];
  stackTraceLimit: number;
  umask: number;
}

/** Starts and closes a service three times in one process, with everything switched on. Returns the outcomes and states. */
async function remainsOf(env: NodeJS.ProcessEnv): Promise<{ outcomes: string[]; before: State; after: State }> {
  const collector = createHttpServer((request, response) => void request.resume().on("end", () => response.end("{}")));
  onTestFinished(() => void collector.close());
  const collectorPort = await portOf(collector.listen(0, "127.0.0.1"));
  const all = {
    PETSTORE_ENV: "production",
    METRICS_PORT: "0",
    RATE_LIMIT: "1000/60",
    AUTH_FAILURE_LIMIT: "1000/60",
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collectorPort}`,
  };
  const child = execFile(process.execPath, [ownProgram("remains")], {
    env: { DATABASE_URL: await temporaryUrl(), ...all, ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [output, errors] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
  expect(errors).toBe("");
  return JSON.parse(output) as Awaited<ReturnType<typeof remainsOf>>;
}

const NOTHING = { timers: 0, databaseFiles: [], stackTraceLimit: 10, umask: process.umask() };

test("a closed service leaves no timer, listener or open file, and its process ends", async () => {
  const { outcomes, before, after } = await remainsOf({ PORT: "0" });
  expect(outcomes).toEqual(["closed", "closed", "closed"]);
  expect(after).toEqual({ ...NOTHING, listeners: before.listeners });
});

test("a failed start closes the metrics, the traces and the database", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void taken.close());
  const { outcomes, before, after } = await remainsOf({ PORT: String(await portOf(taken)) });
  expect(outcomes).toEqual(["ListenError", "ListenError", "ListenError"]);
  expect(after).toEqual({ ...NOTHING, listeners: before.listeners });
});

test("a start that fails before it listens closes the database", async () => {
  const config = readConfig({ DATABASE_URL: await temporaryUrl(), PORT: "0" });
  const quickstartFile = `${await temporaryFolder()}/quickstart.key`;
  await prepare({ ...config, quickstartFile });
  const failing = start({ ...config, trustProxy: ["no address"] }, pino({ level: "silent" }));
  await expect(failing).rejects.toThrow("invalid IP address: no address");
  const file = new Sqlite(pathOfFileUrl(config.databaseUrl), { timeout: 0 });
  onTestFinished(() => void file.close());
  expect(file.pragma("journal_mode = delete", { simple: true })).toBe("delete"); // only the last connection may leave WAL
});

test("the last log line is written once, before the process exits", async () => {
  const child = execFile(process.execPath, [ownProgram("last-words")]);
  const [output, [code]] = await Promise.all([text(child.stdout!), once(child, "exit")]);
  expect({ code, lines: output.match(/"msg":"[^"]*"/g) }).toEqual({ code: 3, lines: ['"msg":"the last words"'] });
});

test("log lines are written in batches, each line once and in order", async () => {
  const written: string[] = [];
  const listeners = process.listenerCount("exit");
  const { promise, resolve } = Promise.withResolvers<void>();
  const stream = inBatches({ write: (lines) => void (written.push(String(lines)) === 2 && resolve()) });
  for (const line of ["1\n", "2\n"]) stream.write(line);
  expect(written).toEqual([]);
  await expect.poll(() => written).toEqual(["1\n2\n"]);
  stream.write("3\n");
  await promise;
  expect(written).toEqual(["1\n2\n", "3\n"]);
  expect(process.listenerCount("exit")).toBe(listeners + 1);
  process.removeListener("exit", process.listeners("exit").at(-1)!);
});

test("a log that nobody reads takes at most 5 MiB, and its reader learns how many lines were dropped", async () => {
  const out = new PassThrough();
  const stream = inBatches(out);
  const line = `${"x".repeat(399)}\n`;
  for (let count = 0; count < 50_000; count++) stream.write(line);
  expect(out.writableLength + out.readableLength).toBeLessThan(5 * 2 ** 20);
  process.listeners("exit").at(-1)!(0); // writes what waits
  process.removeListener("exit", process.listeners("exit").at(-1)!);
  const read = await text(out.end());
  const [, dropped] = /"dropped":(\d+)/.exec(read)!;
  expect(read.split(line).length - 1 + Number(dropped)).toBe(50_000);
});

test("worker processes leave signals to the first process, because a terminal sends them to all", async (context) => {
  needsPosix(context, "command `ps`");
  const program = await startProgram(await temporaryFolder(), { WEB_CONCURRENCY: "2" });
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

async function portOf(server: Server): Promise<number> {
  if (!server.listening) await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

function childrenOf({ child }: Program): number[] {
  const { stdout } = spawnSync("ps", ["-o", "pid=", "--ppid", String(child.pid)], { encoding: "utf8" });
  return stdout.trim().split(/\s+/).map(Number);
}
