import { execFile } from "node:child_process";
import { once } from "node:events";
import { Agent, createServer as createHttpServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { text } from "node:stream/consumers";
import { SERVICE } from "@openapi-operations/command-line/name";
import { startService } from "@openapi-operations/service/start-service";
import { pathOfFileUrl } from "@openapi-operations/storage/url";
import { temporaryUrl } from "@openapi-operations/storage/testing";
import { answeringProcesses, sampleOf } from "@platform/test-support/program";
import { temporaryFolder } from "@platform/test-support/temporary";
import Sqlite from "better-sqlite3";
import { pino } from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { readConfig } from "./config.ts";
import { pathOf, type Program, run, startProgram } from "./start.ts";
import { prepare, thingsService } from "./things.ts";

describe("one process", () => {
  interface State {
    timers: number;
    listeners: string[];
    databaseFiles: string[];
    stackTraceLimit: number;
    umask: number;
  }

  /** Starts and closes a service three times in one process, with everything switched on. Returns the outcomes and states. */
  async function remainsOf(env: NodeJS.ProcessEnv): Promise<{ outcomes: string[]; before: State; after: State }> {
    const collector = createHttpServer(
      (incoming, response) => void incoming.resume().on("end", () => response.end("{}")),
    );
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
});

describe("a cluster", () => {
  const PROCESSES = 3;

  describe("WEB_CONCURRENCY", () => {
    test(`=${PROCESSES} starts as many processes, which see each other's writes and revocations at once`, async () => {
      const folder = await temporaryFolder();
      const program = await startProgram(folder, { WEB_CONCURRENCY: String(PROCESSES), METRICS_PORT: "0" });

      for (let id = 1; id <= 10; id++) {
        expect((await send(program, "POST", "/things")).status).toBe(201);
        const seen = await fromEachProcess(() => send(program, "GET", `/things/${id}`));
        expect(seen.map(({ status }) => status)).toEqual(Array(PROCESSES).fill(200));
      }
      await expect.poll(() => answeringProcesses(program).size).toBe(PROCESSES);
      const created = 'http_requests_total{operation_id="createThing",status="201"}';
      await expect.poll(() => sampleOf(program, created)).toBe(10);
      expect(await sampleOf(program, `${SERVICE.metricsPrefix}_commit_batch_size_sum`)).toBeGreaterThanOrEqual(10);

      expect(await run(["keys", "revoke", "1"], { DATABASE_URL: `file:${folder}/data/things.db` })).toMatchObject({
        code: 0,
      });
      const refused = await fromEachProcess(() => send(program, "GET", "/things"));
      expect(refused.map(({ status }) => status)).toEqual(Array(PROCESSES).fill(401));
      expect(await program.stop()).toBe(0);
    });
  });

  /** Sends a request on a new connection, because each connection goes to the next process. */
  async function send(
    { baseUrl, key }: Program,
    method: string,
    path: string,
  ): Promise<{ status: number | undefined }> {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const sent = request(baseUrl + path, { method, headers, agent: new Agent({ keepAlive: false }) });
    sent.end(method === "POST" ? '{"name":"Rex"}' : undefined);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    await text(response);
    return { status: response.statusCode };
  }

  /** Sends one request to each process, because connections go to the processes in turn. */
  async function fromEachProcess<Answer>(ask: () => Promise<Answer>): Promise<Answer[]> {
    const answers: Answer[] = [];
    for (let process = 0; process < PROCESSES; process++) answers.push(await ask());
    return answers;
  }
});
