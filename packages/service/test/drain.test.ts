import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Line, startThings, type Things } from "../testing/start-things.ts";

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
    const requests: [method: string, path: string, headers: Record<string, string>, before: number, after: number][] = [
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
  return lines.filter(({ level }) => level >= WARN).map(({ level, msg, connections }) => ({ level, msg, connections }));
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
