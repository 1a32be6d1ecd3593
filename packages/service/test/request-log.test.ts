import { execFile } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { loggedPath } from "../src/http/stages.ts";
import { createLogger, inBatches, parseTraceparent } from "../src/observability/request-log.ts";
import { json, startThings } from "../testing/start-things.ts";
import { Outage } from "../testing/things.ts";
import { pathOf } from "./things-program.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const TRACEPARENT = `00-${TRACE_ID}-b7ad6b7169203331-01`;

/** pino's numbers of the log levels. */
const [INFO, ERROR] = [30, 50] as const;

describe("the request log", () => {
  test("has a line for each request, with its id, trace and client address, and without its token", async () => {
    await using service = await startThings();
    const headers = { traceparent: TRACEPARENT, "X-Request-Id": "order-66" };
    await service.request("/things?limit=5", { headers });
    await service.request("/things", { token: "canary", headers: { "X-Request-Id": "my-secret" } });
    await service.close();
    expect(service.lines()).toMatchObject([
      {
        req: { id: "order-66", path: "/v1/things" },
        res: { status: 200 },
        operationId: "listThings",
        traceId: TRACE_ID,
      },
      { req: { path: "/v1/things" }, res: { status: 401 }, operationId: "listThings" },
    ]);
    expect(new Set(service.lines().map(({ req }) => req?.address))).toEqual(new Set(["127.0.0.1"]));
    expect(JSON.stringify(service.lines())).not.toMatch(/good|canary|secret/);
  });

  test("has the client address of a trusted proxy, or both addresses if two headers differ", async () => {
    await using service = await startThings({ env: { TRUST_PROXY: "127.0.0.0/8" } });
    const ask = (headers: Record<string, string>) => service.request("/things", { headers });
    await ask({ "X-Forwarded-For": "6.6.6.6, 203.0.113.7" });
    await ask({ Forwarded: 'for="[2001:db8::1]:80";proto=https' });
    await ask({ "X-Forwarded-For": "203.0.113.7", Forwarded: "for=6.6.6.6" });
    await ask({ "X-Forwarded-For": '"}\\u0000<script>' });
    await service.close();
    expect(service.lines().map(({ req }) => ({ address: req?.address, claimed: req?.claimed }))).toEqual([
      { address: "203.0.113.7" },
      { address: "2001:db8::1" },
      { address: "127.0.0.1", claimed: ["6.6.6.6", "203.0.113.7"] },
      { address: "127.0.0.1" },
    ]);
  });

  test("has the level error for 5xx, and info for other statuses", async () => {
    const failures: Error[] = [];
    await using service = await startThings({
      before: () => {
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
      },
    });
    await service.request("/things", json({ name: "cup" }));
    await service.request("/things?limit=1", { method: "HEAD" });
    await service.request("/things?limit=0");
    await service.request("/things", { token: "wrong" });
    await service.request("/things", { method: "DELETE" });
    await fetch(new URL("/healthz", service.baseUrl));
    failures.push(new Error("a fault"), new Outage("away"));
    const [fault, outage] = [await service.request("/things"), await service.request("/things")];
    expect([fault, outage].map(({ headers }) => headers.get("Retry-After"))).toEqual([null, "1"]);
    await service.close();

    const requests = service.lines().filter(({ res }) => res !== undefined);
    const [completed, failed] = ["request completed", "request failed"];
    expect(
      requests.map(({ level, msg, req, res, operationId }) => ({ level, msg, req, res, operationId })),
    ).toMatchObject([
      { level: INFO, msg: completed, res: { status: 201 }, req: { method: "POST" }, operationId: "createThing" },
      { level: INFO, msg: completed, res: { status: 200 }, req: { method: "HEAD" }, operationId: "listThings" },
      { level: INFO, msg: completed, res: { status: 400 }, req: { path: "/v1/things" }, operationId: "listThings" },
      { level: INFO, msg: completed, res: { status: 401 }, req: { path: "/v1/things" }, operationId: "listThings" },
      { level: INFO, msg: completed, res: { status: 405 }, req: { method: "DELETE" }, operationId: undefined },
      { level: INFO, msg: completed, res: { status: 200 }, req: { path: "/healthz" }, operationId: undefined },
      { level: ERROR, msg: failed, res: { status: 500 }, req: { method: "GET" }, operationId: "listThings" },
      { level: INFO, msg: completed, res: { status: 503 }, req: { method: "GET" }, operationId: "listThings" },
    ]);
  });

  test("contains only failures of the service at LOG_LEVEL=error", async () => {
    await using service = await startThings({
      env: { LOG_LEVEL: "error" },
      before: (id) => {
        if (id === "createThing") throw new Error("a fault");
      },
    });
    expect((await service.request("/things")).status).toBe(200);
    expect((await service.request("/things", json({ name: "cup" }))).status).toBe(500);
    await service.close();
    expect(service.lines().filter(({ res }) => res !== undefined)).toMatchObject([
      { level: ERROR, res: { status: 500 } },
    ]);
    expect(service.lines().filter(({ level }) => level < ERROR)).toEqual([]);
  });

  test("has the X-Request-Id of the response", async () => {
    await using service = await startThings();
    const given: (string | null)[] = [];
    for (const path of ["/healthz", "/v1/things", "/nope"])
      given.push((await fetch(new URL(path, service.baseUrl))).headers.get("X-Request-Id"));
    await service.close();
    expect(new Set(given).size).toBe(3);
    expect(service.lines().map(({ req }) => req?.id)).toEqual(given);
  });

  test.each(["", "a b", "(a", "a)", "x".repeat(129), "my-secret"])(
    "replaces the invalid X-Request-Id %j",
    async (id) => {
      await using service = await startThings();
      const { headers } = await service.request("/things", { headers: { "X-Request-Id": id } });
      expect(headers.get("X-Request-Id")).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/);
    },
  );

  test("has the thrown error with its stack, and the id of the request", async () => {
    await using service = await startThings({
      before: function failing() {
        throw new TypeError("no such thing");
      },
    });
    const answer = await service.request("/things", { headers: { "X-Request-Id": "order-66" } });
    expect([answer.status, JSON.stringify(await answer.json())]).toEqual([500, expect.not.stringContaining("such")]);
    await service.close();
    const req = { id: "order-66", method: "GET", path: "/v1/things" };
    const err = { type: "TypeError", message: "no such thing", stack: expect.stringMatching(/failing/) };
    expect(service.lines().filter(({ err: thrown }) => thrown !== undefined)).toMatchObject([
      { level: ERROR, msg: "request failed", req, err },
    ]);
  });

  test("has a line for an aborted request, with its client, operation and duration", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    await using service = await startThings({
      before: () => {
        begin();
        return released;
      },
    });
    const { hostname, port } = new URL(service.baseUrl);
    const began = performance.now();
    const socket = connect(Number(port), hostname);
    socket.write("GET /v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n\r\n");
    await begun;
    const waited = performance.now();
    await fetch(new URL("/healthz", service.baseUrl));
    const least = Math.floor(performance.now() - waited);
    socket.destroy();
    await once(socket, "close");
    const aborted = () => service.lines().filter(({ msg }) => msg === "request aborted");
    await expect
      .poll(aborted)
      .toMatchObject([{ level: INFO, req: { method: "GET", address: "127.0.0.1" }, operationId: "listThings" }]);
    const responseTime = aborted()[0]?.["responseTime"];
    expect(responseTime).toBeGreaterThanOrEqual(least);
    expect(responseTime).toBeLessThanOrEqual(Math.ceil(performance.now() - began));
    release();
  });

  test.each([
    ["/v1/things?cursor=x?y", "/v1/things"],
    ["http://admin:hunter2@things/v1/things?limit=1", "/v1/things"],
    ["http://admin:hunter2@petstore", ""],
    ["*", "*"],
  ])("has only the path of the target %s", (target, path) => {
    expect(loggedPath(target)).toBe(path);
  });

  test("redacts a credential that is logged by mistake", () => {
    let written = "";
    const logger = createLogger("info", { write: (line) => void (written += line) });
    const headers = { authorization: "Bearer canary" };
    logger.info(headers);
    logger.info({ headers });
    logger.info({ req: { headers } });
    expect(written.match(/\[Redacted\]/g)).toHaveLength(3);
    expect(written).not.toContain("canary");
  });
});

test.each([
  [TRACEPARENT, TRACE_ID],
  [`cc-${TRACE_ID}-b7ad6b7169203331-01-later`, TRACE_ID],
  [`00-${TRACE_ID}-b7ad6b7169203331-01-later`, undefined],
  [`ff-${TRACE_ID}-b7ad6b7169203331-01`, undefined],
  [`00-${"0".repeat(32)}-b7ad6b7169203331-01`, undefined],
  [`00-${TRACE_ID}-${"0".repeat(16)}-01`, undefined],
  [`00-00${TRACE_ID.slice(4)}00-00ad6b7169203300-01`, `00${TRACE_ID.slice(4)}00`],
  [`x${TRACEPARENT}`, undefined],
  [`${TRACEPARENT}x`, undefined],
  [TRACEPARENT.toUpperCase(), undefined],
  [undefined, undefined],
])("traceparent %s has the trace %s", (header, traceId) => expect(parseTraceparent(header)?.traceId).toBe(traceId));

test("the last log line is written once, before the process exits", async () => {
  const child = execFile(process.execPath, [pathOf("last-words")]);
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
