import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { Agent, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { needsPosix } from "@platform/test-support/machine";
import { answeringProcesses } from "@platform/test-support/program";
import { temporaryFolder } from "@platform/test-support/temporary";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { startService } from "../src/life/start-service.ts";
import { createLogger } from "../src/observability/request-log.ts";
import { type Line, startThings, type Things } from "../testing/start-things.ts";
import { thingsService } from "../testing/things.ts";
import { preparations, reload, reloads, send, startProgram } from "./things-program.ts";

describe("the start", () => {
  /** A service of things that records calls of `stopWaiting` and `close`. */
  function recordedService(env: NodeJS.ProcessEnv) {
    const calls: (string | number)[] = [];
    const service = thingsService({ env });
    const open: typeof service.open = async (context) => {
      context.onClose(async () => void calls.push("closed"));
      return { ...(await service.open(context)), stopWaiting: (afterMs) => void calls.push(afterMs) };
    };
    return { definition: { ...service, open }, calls };
  }

  test.each([
    ["10", 9_500],
    ["1", 500],
    ["0", 0],
  ])(
    "with SHUTDOWN_TIMEOUT=%s, requests stop waiting after %i ms, before connections are closed",
    async (timeout, ms) => {
      const { definition, calls } = recordedService({ SHUTDOWN_TIMEOUT: timeout });
      const service = await startService(definition, createLogger("silent"));
      expect(calls).toEqual([]);
      await service.close();
      expect(calls).toEqual([ms, "closed"]);
    },
  );

  test.each([
    ["drain", "503"],
    ["retire", "200"],
  ] as const)("after %s, a readiness probe that arrives during close gets %s", async (announcement, status) => {
    const service = await startService(recordedService({}).definition, createLogger("silent"));
    const { hostname, port } = new URL(service.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /readyz HTTP/1.1\r\nHost: x\r\n");
    await once(socket, "data"); // the beginning of the second request has arrived too
    service[announcement]();
    const closed = service.close();
    socket.write("\r\n");
    expect(await text(socket)).toContain(`HTTP/1.1 ${status} `);
    await closed;
  });

  test("open resources are closed if the service cannot listen", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    onTestFinished(() => void other.close());
    const metrics = createServer().listen(0, "127.0.0.1");
    await once(metrics, "listening");
    const [taken, free] = [other, metrics].map((server) => String((server.address() as AddressInfo).port));
    metrics.close();
    await once(metrics, "close");

    const { definition, calls } = recordedService({ PORT: taken, METRICS_PORT: free });
    await expect(startService(definition, createLogger("silent"))).rejects.toThrow(`127.0.0.1:${taken}`);
    expect(calls).toEqual(["closed"]);
    await expect(fetch(`http://127.0.0.1:${free}/metrics`)).rejects.toThrow("fetch failed");
  });

  test("resources are closed in reverse order, even if one of them fails to close", async () => {
    const closed: number[] = [];
    const things = thingsService({});
    const open: typeof things.open = (context) => {
      for (const number of [1, 2, 3]) {
        context.onClose(async () => {
          closed.push(number);
          if (number === 2) throw new Error("no");
        });
      }
      return things.open(context);
    };
    const service = await startService({ ...things, open }, createLogger("silent"));
    await expect(service.close()).rejects.toThrow("no");
    expect(closed).toEqual([3, 2, 1]);
  });
});

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
    const failed = '"msg":"the reload failed, and the processes that were not replaced keep running"';
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

describe("the end of connections", () => {
  /** pino's number of the log level. */
  const WARN = 40;

  const CUP = '{"name":"cup"}';

  describe("while the service drains", () => {
    test("every response closes its connection, whatever its status and its source", async () => {
      const service = await startThings();
      const agent = new Agent({ keepAlive: true });
      onTestFinished(() => agent.destroy());
      const tag = (await ask(service, agent, "GET", "/openapi.json")).headers.etag!;
      const auth = { Authorization: `Bearer good` };
      const requests: [method: string, path: string, headers: Record<string, string>, before: number, after: number][] =
        [
          ["GET", "/healthz", {}, 200, 200],
          ["HEAD", "/healthz", {}, 200, 200],
          ["GET", "/readyz", {}, 200, 503],
          ["POST", "/healthz", {}, 405, 405],
          ["OPTIONS", "/healthz", {}, 204, 204],
          ["GET", "/nope", {}, 404, 404],
          ["GET", "/v1/nope", {}, 404, 404],
          ["GET", "/v1/things", {}, 401, 401],
          ["GET", "/v1/things", auth, 200, 200],
          ["GET", "/v1/things?limit=0", auth, 400, 400],
          ["OPTIONS", "/v1/things", { "Access-Control-Request-Method": "GET" }, 204, 204],
          ["GET", "/openapi.yaml", {}, 200, 200],
          ["GET", "/openapi.json", { "If-None-Match": tag }, 304, 304],
          ["GET", "/docs", {}, 200, 200],
          ["GET", "/healthz", { Expect: "more" }, 417, 417],
        ];
      const answers = async () => {
        const all: [string, number | undefined, string | undefined][] = [];
        for (const [method, path, headers] of requests) {
          const { statusCode, headers: answered } = await ask(service, agent, method, path, headers);
          all.push([`${method} ${path}`, statusCode, answered.connection]);
        }
        return all;
      };
      expect(await answers()).toEqual(
        requests.map(([method, path, , status]) => [
          `${method} ${path}`,
          status,
          status === 417 ? "close" : "keep-alive",
        ]),
      );
      service.drain();
      expect(await answers()).toEqual(
        requests.map(([method, path, , , status]) => [`${method} ${path}`, status, "close"]),
      );
      await service.close();
    });

    test("the response to a request that began before closes its connection too", async () => {
      const service = await startThings();
      const head = `POST /v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nContent-Type: application/json\r\n`;
      const socket = await afterOneAnswer(service, `${head}Content-Length: ${CUP.length}\r\n\r\n`);
      service.drain();
      socket.write(CUP);
      const answer = await text(socket); // to the end of the connection
      expect(answer).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
      expect(answer).toMatch(/\r\nConnection: close\r\n/i);
      await service.close();
    });
  });

  describe("connections that are cut at the end of the shutdown", () => {
    test.each([1, 2])("%i of them are logged once, with their number", async (count) => {
      const service = await startThings({ env: { SHUTDOWN_TIMEOUT: "0" } });
      const half = "GET /v1/things HTTP/1.1\r\nHost: x\r\n";
      const sockets = await Promise.all(Array.from({ length: count }, () => afterOneAnswer(service, half)));
      const cut = sockets.map((socket) => once(socket, "close"));
      await service.close();
      await Promise.all(cut);
      const msg = "connections were still open after SHUTDOWN_TIMEOUT";
      expect(warnings(service.lines())).toEqual([{ level: WARN, msg, connections: count }]);
    });

    test("nothing is logged if there are none", async () => {
      const service = await startThings();
      await afterOneAnswer(service, "");
      await service.close();
      expect(warnings(service.lines())).toEqual([]);
    });
  });

  function warnings(lines: Line[]): object[] {
    return lines
      .filter(({ level }) => level >= WARN)
      .map(({ level, msg, connections }) => ({ level, msg, connections }));
  }

  /** Opens a connection that received a response to one request and sent `more` after it, which has therefore arrived. */
  async function afterOneAnswer({ baseUrl }: Things, more: string): Promise<Socket> {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect(Number(port), hostname).on("error", () => {});
    onTestFinished(() => void socket.destroy());
    socket.write(`GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n${more}`);
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
    return socket;
  }

  /** Uses Node's own client, because `fetch` does not expose `Connection`. */
  async function ask(
    { baseUrl }: Things,
    agent: Agent,
    method: string,
    path: string,
    headers: Record<string, string> = {},
  ): Promise<IncomingMessage> {
    const sent = request(new URL(path, baseUrl), { method, agent, headers }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    await text(response);
    return response;
  }
});
