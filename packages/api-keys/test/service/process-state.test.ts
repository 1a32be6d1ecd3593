import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { text } from "node:stream/consumers";
import { startService } from "@platform/service/start-service";
import { pathOfFileUrl } from "@platform/storage/url";
import { temporaryUrl } from "@platform/test-support/temporary";
import Sqlite from "better-sqlite3";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { readConfig } from "./config.ts";
import { prepare, thingsService } from "./things.ts";
import { pathOf } from "./start.ts";

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
    THINGS_ENV: "production",
    METRICS_PORT: "0",
    RATE_LIMIT: "1000/60",
    AUTH_FAILURE_LIMIT: "1000/60",
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collectorPort}`,
  };
  const child = execFile(process.execPath, [pathOf("remains")], {
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
  await prepare(config);
  const failing = startService(thingsService({ ...config, trustProxy: ["no address"] }), pino({ level: "silent" }));
  await expect(failing).rejects.toThrow("invalid IP address: no address");
  const file = new Sqlite(pathOfFileUrl(config.databaseUrl), { timeout: 0 });
  onTestFinished(() => void file.close());
  expect(file.pragma("journal_mode = delete", { simple: true })).toBe("delete"); // only the last connection may leave WAL
});

async function portOf(server: Server): Promise<number> {
  if (!server.listening) await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
