import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { generateApiKey } from "@platform/api-keys/api-key";
import { createLogger, loggedPath } from "@platform/service/request-log";
import { parseTraceparent } from "@platform/service/trace-context";
import { pathOfFileUrl } from "@platform/storage/url";
import { temporaryFolder } from "@platform/test-support/temporary";
import Sqlite from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { ERROR, INFO, startInProcess } from "../in-process.ts";
import { run, startProgram } from "../program.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const TRACEPARENT = `00-${TRACE_ID}-b7ad6b7169203331-01`;

describe("the request log", () => {
  test("is one line of JSON for each request, with its id and trace, and without its key", async () => {
    const program = await startProgram(await temporaryFolder());
    const headers = { Authorization: `Bearer ${program.key}`, traceparent: TRACEPARENT, "X-Request-Id": "order-66" };
    await fetch(`${program.baseUrl}/pets?limit=5`, { headers });
    await fetch(`${program.baseUrl}/pets`, { headers: { Authorization: "Bearer canary" } });
    await program.stop();
    const lines = program
      .output()
      .match(/^\{.*\}$/gm)!
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.filter(({ req }) => req !== undefined)).toMatchObject([
      { req: { id: "order-66", path: "/v1/pets" }, res: { status: 200 }, operationId: "listPets", traceId: TRACE_ID },
      { req: { path: "/v1/pets" }, res: { status: 401 }, operationId: "listPets" },
    ]);
    expect(program.output()).not.toMatch(/pst_|canary|bearer canary/i);
  });

  test("tells which API key each request had, and the client's address, also of refusals", async () => {
    const folder = await temporaryFolder();
    const program = await startProgram(folder, { RATE_LIMIT: "2/60" });
    const url = `${program.baseUrl}/pets`;
    const ask = async (authorization: string) => (await fetch(url, { headers: { authorization } })).status;
    expect(await ask(`Bearer ${program.key}`)).toBe(200);
    const wrong = await fetch(`${url}?limit=0`, { headers: { authorization: `Bearer ${program.key}` } });
    expect(wrong.status).toBe(400);
    expect(await ask(`Bearer ${program.key}`)).toBe(429);
    expect(await ask(`Bearer ${generateApiKey("development")}`)).toBe(401);
    expect(await ask("")).toBe(401);
    const created = await run(["keys", "create", "--name", 'a "reader"', "--scopes", "pets:read", "--json"], {
      DATABASE_URL: `file:${join(folder, "data/petstore.db")}`,
    });
    const reader = (JSON.parse(created.stdout) as { key: string }).key;
    const headers = { authorization: `Bearer ${reader}`, "Content-Type": "application/json" };
    expect((await fetch(url, { method: "POST", headers, body: '{"name":"Rex","categoryId":1}' })).status).toBe(403);
    await fetch(new URL("/healthz", url), { headers });
    await program.stop();

    const quickstart = { id: 1, name: "quickstart" };
    const lines = requestsIn(program.output());
    expect(lines.map(({ res, apiKey }) => [res.status, apiKey])).toEqual([
      [200, quickstart],
      [400, quickstart],
      [429, quickstart],
      [401, undefined],
      [401, undefined],
      [403, { id: 2, name: 'a "reader"' }],
      [200, undefined],
    ]);
    expect(new Set(lines.map(({ req }) => req.address))).toEqual(new Set(["127.0.0.1"]));
    expect(program.output()).not.toContain(reader);
  });

  test("tells the client that a trusted proxy names, and both where two headers differ", async () => {
    const program = await startProgram(await temporaryFolder(), { TRUST_PROXY: "127.0.0.0/8" });
    const ask = (headers: Record<string, string>) => fetch(`${program.baseUrl}/pets`, { headers });
    await ask({ "X-Forwarded-For": "6.6.6.6, 203.0.113.7" });
    await ask({ Forwarded: 'for="[2001:db8::1]:80";proto=https' });
    await ask({ "X-Forwarded-For": "203.0.113.7", Forwarded: "for=6.6.6.6" });
    await ask({ "X-Forwarded-For": '"}\\u0000<script>' });
    await program.stop();
    expect(requestsIn(program.output()).map(({ req: { address, claimed } }) => ({ address, claimed }))).toEqual([
      { address: "203.0.113.7" },
      { address: "2001:db8::1" },
      { address: "127.0.0.1", claimed: ["6.6.6.6", "203.0.113.7"] },
      { address: "127.0.0.1" },
    ]);
  });

  test("tells the address of a client that has gone before the answer", async () => {
    const program = await startProgram(await temporaryFolder());
    const { hostname, port } = new URL(program.baseUrl);
    const socket = connect(Number(port), hostname);
    const head = ["POST /v1/pets HTTP/1.1", "Host: x", `Authorization: Bearer ${program.key}`];
    head.push("Content-Type: application/json", "Content-Length: 30", "Expect: 100-continue");
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
    await once(socket, "data"); // so it has arrived
    socket.destroy();
    await program.stop();
    expect(requestsIn(program.output())).toMatchObject([
      { msg: "request aborted", req: { address: "127.0.0.1" }, apiKey: { id: 1, name: "quickstart" } },
    ]);
  });

  test("is an error where the service failed, and information where the request did", async () => {
    const { service, databaseUrl, key, lines } = await startInProcess();
    const send = async (path: string, { sent = key, ...init }: RequestInit & { sent?: string } = {}) => {
      const headers = { Authorization: `Bearer ${sent}`, "Content-Type": "application/json" };
      await (await fetch(new URL(path, service.baseUrl), { ...init, headers })).text();
    };
    await send("/v1/pets", { method: "POST", body: '{"name":"Rex","categoryId":1}' });
    await send("/v1/pets?limit=1", { method: "HEAD" });
    await send("/v1/pets?limit=0");
    await send("/v1/pets", { sent: "wrong" });
    await send("/v1/pets/2");
    await send("/v1/pets", { method: "DELETE" });
    await send("/healthz");
    const file = new Sqlite(pathOfFileUrl(databaseUrl));
    file.exec("alter table pets rename to gone");
    await send("/v1/pets");
    file.exec("alter table gone rename to pets; alter table api_keys rename to gone");
    await send("/v1/pets");
    file.close();
    await service.close();

    const requests = lines().filter(({ res }) => res !== undefined);
    const [completed, failed] = ["request completed", "request failed"];
    expect(
      requests.map(({ level, msg, req, res, operationId }) => ({ level, msg, req, res, operationId })),
    ).toMatchObject([
      { level: INFO, msg: completed, res: { status: 201 }, req: { method: "POST" }, operationId: "createPet" },
      { level: INFO, msg: completed, res: { status: 200 }, req: { method: "HEAD" }, operationId: "listPets" },
      { level: INFO, msg: completed, res: { status: 400 }, req: { path: "/v1/pets" }, operationId: "listPets" },
      { level: INFO, msg: completed, res: { status: 401 }, req: { path: "/v1/pets" }, operationId: "listPets" },
      { level: INFO, msg: completed, res: { status: 404 }, req: { path: "/v1/pets/2" }, operationId: "getPet" },
      { level: INFO, msg: completed, res: { status: 405 }, req: { method: "DELETE" }, operationId: undefined },
      { level: INFO, msg: completed, res: { status: 200 }, req: { path: "/healthz" }, operationId: undefined },
      { level: ERROR, msg: failed, res: { status: 500 }, req: { method: "GET" }, operationId: "listPets" },
      { level: ERROR, msg: failed, res: { status: 503 }, req: { method: "GET" }, operationId: "listPets" },
    ]);
  });

  test("holds at LOG_LEVEL=error the failures of the service alone", async () => {
    const { service, databaseUrl, key, lines } = await startInProcess({ LOG_LEVEL: "error" });
    const list = async () => fetch(`${service.baseUrl}/pets`, { headers: { Authorization: `Bearer ${key}` } });
    expect((await list()).status).toBe(200);
    const file = new Sqlite(pathOfFileUrl(databaseUrl));
    file.exec("alter table pets rename to gone");
    file.close();
    expect((await list()).status).toBe(500);
    await service.close();
    expect(lines().filter(({ res }) => res !== undefined)).toMatchObject([{ level: ERROR, res: { status: 500 } }]);
    expect(lines().filter(({ level }) => level < ERROR)).toEqual([]);
  });

  test("has the id that the answer gives", async () => {
    const { service, lines } = await startInProcess();
    const given: (string | null)[] = [];
    for (const path of ["/healthz", "/v1/pets", "/nope"])
      given.push((await fetch(new URL(path, service.baseUrl))).headers.get("X-Request-Id"));
    await service.close();
    expect(new Set(given).size).toBe(3);
    expect(lines().map(({ req }) => (req as { id?: string } | undefined)?.id)).toEqual(given);
  });

  test("says of a fault what was thrown and where, with the id of its request", async () => {
    const { service, databaseUrl, key, lines } = await startInProcess();
    const file = new Sqlite(pathOfFileUrl(databaseUrl));
    file.exec("alter table pets rename to gone");
    file.close();
    const headers = { Authorization: `Bearer ${key}`, "X-Request-Id": "order-66" };
    expect((await fetch(`${service.baseUrl}/pets`, { headers })).status).toBe(500);
    await service.close();
    const req = { id: "order-66", method: "GET", path: "/v1/pets" };
    const err = { type: "SqliteError", message: "no such table: pets", code: "SQLITE_ERROR" };
    expect(lines().filter(({ err: thrown }) => thrown !== undefined)).toMatchObject([
      { level: ERROR, msg: "request failed", req, err: { ...err, stack: expect.stringMatching(/pets\.handlers/) } },
    ]);
  });

  test("says of a request whose client has gone that it was aborted, and how long it took", async () => {
    const { service, databaseUrl, key, lines } = await startInProcess();
    const file = new Sqlite(pathOfFileUrl(databaseUrl)).exec("begin immediate");
    const { hostname, port } = new URL(service.baseUrl);
    const body = '{"name":"Rex","categoryId":1}';
    const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
    const began = performance.now();
    const socket = connect(Number(port), hostname);
    socket.write(`${head}Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n${body}`);
    await once(socket, "data"); // 100 Continue: the request is being served
    const waited = performance.now();
    await fetch(new URL("/healthz", service.baseUrl)); // it is not answered, as it waits for the lock
    const least = Math.floor(performance.now() - waited);
    socket.destroy();
    const aborted = () => lines().filter(({ msg }) => msg === "request aborted");
    await expect.poll(aborted).toMatchObject([{ level: INFO, req: { method: "POST" }, operationId: "createPet" }]);
    const responseTime = aborted()[0]?.["responseTime"];
    expect(responseTime).toBeGreaterThanOrEqual(least);
    expect(responseTime).toBeLessThanOrEqual(Math.ceil(performance.now() - began));
    file.exec("rollback").close();
    await service.close();
  });

  test.each([
    ["/v1/pets?cursor=x", "/v1/pets"],
    ["http://admin:hunter2@petstore/v1/pets?limit=1", "/v1/pets"],
    ["http://admin:hunter2@petstore", ""],
    ["*", "*"],
  ])("holds of the target %s the path alone", (target, path) => {
    expect(loggedPath(target)).toBe(path);
  });

  test("takes out a credential that is logged by mistake", () => {
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

interface RequestLine {
  msg: string;
  req: { address: string; claimed?: string[] };
  res: { status: number };
  apiKey?: { id: number; name: string };
}

/** The lines of the request log among what a program has printed. */
function requestsIn(output: string): RequestLine[] {
  const lines = (output.match(/^\{.*\}$/gm) ?? []).map((line) => JSON.parse(line) as RequestLine);
  return lines.filter(({ req }) => req !== undefined);
}

test.each([
  [TRACEPARENT, TRACE_ID],
  [`cc-${TRACE_ID}-b7ad6b7169203331-01-later`, TRACE_ID],
  [`00-${TRACE_ID}-b7ad6b7169203331-01-later`, undefined],
  [`ff-${TRACE_ID}-b7ad6b7169203331-01`, undefined],
  [`00-${"0".repeat(32)}-b7ad6b7169203331-01`, undefined],
  [`00-${TRACE_ID}-${"0".repeat(16)}-01`, undefined],
  [TRACEPARENT.toUpperCase(), undefined],
  [undefined, undefined],
])("traceparent %s is of the trace %s", (header, traceId) => expect(parseTraceparent(header)?.traceId).toBe(traceId));
