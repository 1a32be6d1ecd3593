import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { listen, ListenError } from "../src/http/listener.ts";
import { startThings, type Things } from "../testing/start-things.ts";

describe("what Node's parser refuses before Express sees it", () => {
  let service: Things;
  beforeAll(async () => void (service = await startThings()));
  afterAll(() => service[Symbol.asyncDispose]());

  /** Sends the bytes unchanged and reads until the server closes the connection. */
  async function exchange(request: string): Promise<{ status: number; headers: string; body: unknown }> {
    const { hostname, port } = new URL(service.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.write(request);
    const [head = "", body = ""] = (await text(socket)).split("\r\n\r\n", 2);
    return { status: Number(head.split(" ")[1]), headers: head, body: JSON.parse(body) as unknown };
  }

  const HEAD = "Host: x\r\nConnection: close\r\n";
  const LONG = "x".repeat(10_000);

  test.each<[string, string, number, string]>([
    ["a line that is no request", "nonsense\r\n\r\n", 400, "invalid_request"],
    ["an unknown method", `BREW /v1/things HTTP/1.1\r\n${HEAD}\r\n`, 501, "not_implemented"],
    ["an unknown method, like one that is known", `GETS /v1/things HTTP/1.1\r\n${HEAD}\r\n`, 501, "not_implemented"],
    ["a method in lower case", `get /v1/things HTTP/1.1\r\n${HEAD}\r\n`, 501, "not_implemented"],
    ["a method of another protocol", `DESCRIBE /v1/things HTTP/1.1\r\n${HEAD}\r\n`, 501, "not_implemented"],
    ["a method that is no token", `GE(T /v1/things HTTP/1.1\r\n${HEAD}\r\n`, 400, "invalid_request"],
    ["the greeting of TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400, "invalid_request"],
    ["a header without a colon", `GET /v1/things HTTP/1.1\r\n${HEAD}bad\r\n\r\n`, 400, "invalid_request"],
    ["a bad Content-Length", `POST /v1/things HTTP/1.1\r\n${HEAD}Content-Length: x\r\n\r\n`, 400, "invalid_request"],
    [
      "two framings of the body",
      `POST /v1/things HTTP/1.1\r\n${HEAD}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
      400,
      "invalid_request",
    ],
    [
      "a Host that is none",
      `GET /v1/things HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n`,
      400,
      "invalid_request",
    ],
    ["two Hosts", `GET /v1/things HTTP/1.1\r\n${HEAD}Host: y\r\n\r\n`, 400, "invalid_request"],
    ["CONNECT", `CONNECT x:80 HTTP/1.1\r\n${HEAD}\r\n`, 405, "method_not_allowed"],
    [
      "a chunk with extensions too long",
      `POST /v1/things HTTP/1.1\r\n${HEAD}Authorization: Bearer good\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2;x=${"x".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
      400,
      "invalid_request",
    ],
    ["no Host", "GET /v1/things HTTP/1.1\r\nConnection: close\r\n\r\n", 400, "invalid_request"],
    ["no Host, in HTTP/2.0", "GET /v1/things HTTP/2.0\r\nConnection: close\r\n\r\n", 400, "invalid_request"],
    [
      "headers too large",
      `GET /v1/things HTTP/1.1\r\n${HEAD}X: ${"x".repeat(20_000)}\r\n\r\n`,
      431,
      "headers_too_large",
    ],
    [
      "headers too large behind a long path",
      `GET /${LONG} HTTP/1.1\r\n${HEAD}X: ${LONG}\r\n\r\n`,
      431,
      "headers_too_large",
    ],
    ["a path too long", `GET /v1/${"x".repeat(20_000)} HTTP/1.1\r\n${HEAD}\r\n`, 414, "uri_too_long"],
    ["a path too long, and no end of it", `GET /v1/${"x".repeat(70_000)}`, 414, "uri_too_long"],
    ["a path and query of a byte too much", `GET /?${"x".repeat(8_191)} HTTP/1.1\r\n${HEAD}\r\n`, 414, "uri_too_long"],
    ["a path too long but for its escapes", `GET /${"%61".repeat(4_000)} HTTP/1.1\r\n${HEAD}\r\n`, 414, "uri_too_long"],
    [
      "chunks in HTTP/1.0",
      `POST /v1/things HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      "invalid_request",
    ],
    ["an unknown expectation", `GET /v1/things HTTP/1.1\r\n${HEAD}Expect: tea\r\n\r\n`, 417, "expectation_failed"],
  ])("%s gets an Error body", async (_title, request, status, code) => {
    const response = await exchange(request);
    expect(response.status).toBe(status);
    expect(response.headers).toMatch(/content-type: application\/json/i);
    expect(response.headers).toMatch(/^cache-control: no-store\r?$/im);
    expect(response.headers).toMatch(/^connection: close\r?$/im);
    expect(/^Allow: (.*)/m.exec(response.headers)?.[1]).toBe(status === 405 ? "" : undefined);
    expect(response.body).toEqual({ code, message: expect.any(String), status });
  });

  test("a path and query of 8 KiB are read", async () => {
    const { headers, body } = await exchange(`GET /${"x".repeat(8_191)} HTTP/1.1\r\n${HEAD}\r\n`);
    expect(headers).toMatch(/^HTTP\/1.1 404 /);
    expect(body).toMatchObject({ code: "not_found" });
  });

  test.each([
    ["a path", [`GET /v1/${LONG}`, `${LONG} HTTP/1.1\r\n${HEAD}\r\n`], 414],
    ["a header", [`GET /v1/things HTTP/1.1\r\n${HEAD}X: ${LONG}`, `${LONG}\r\n\r\n`], 431],
    ["a header with spaces", [`GET /v1/things HTTP/1.1\r\n${HEAD}X: ${LONG}`, `a GET ${LONG}`, LONG], 431],
  ])("%s that arrives in pieces and grows too large", async (_title, pieces, status) => {
    const { hostname, port } = new URL(service.baseUrl);
    const socket = connect(Number(port), hostname).setNoDelay();
    for (const piece of pieces) {
      socket.write(piece);
      await service.request("/things"); // a response to a later request proves that the service has read the piece
    }
    expect(await text(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  test("a method that is unknown, sent behind requests with bodies, is answered with 501 behind their answers", async () => {
    const { hostname, port } = new URL(service.baseUrl);
    const socket = connect(Number(port), hostname);
    const post = `POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}`;
    socket.write(`${post}${post}BREW / HTTP/1.1\r\n\r\n`);
    expect((await text(socket)).match(/HTTP\/1.1 \d{3}/g)).toEqual(["HTTP/1.1 405", "HTTP/1.1 405", "HTTP/1.1 501"]);
  });

  test("what follows chunks in HTTP/1.0 is not taken for a request", async () => {
    const { hostname, port } = new URL(service.baseUrl);
    const socket = connect(Number(port), hostname);
    const credentials = `Authorization: Bearer good\r\nConnection: keep-alive\r\nContent-Type: application/json\r\n`;
    const body = '{"name":"Smuggled"}';
    socket.write(
      `POST /v1/things HTTP/1.0\r\n${credentials}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n` +
        `POST /v1/things HTTP/1.1\r\nHost: x\r\n${credentials}Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    const answers = await text(socket);
    expect(answers.match(/HTTP\/1.1 \d{3}/g)).toEqual(["HTTP/1.1 400"]);
    expect(answers).toMatch(/\r\nConnection: close\r\n/);
    expect(answers).toContain("HTTP/1.0 does not support Transfer-Encoding. Send a Content-Length, or use HTTP/1.1.");
    expect(await (await service.request("/things")).text()).not.toContain("Smuggled");
  });

  test("headers that go on for megabytes are answered, not cut off, also while they are being sent", async () => {
    const request = `GET /v1/things HTTP/1.1\r\n${HEAD}X: ${"x".repeat(8_000_000)}\r\n\r\n`;
    for (let attempt = 0; attempt < 10; attempt++) expect((await exchange(request)).status).toBe(431);
  });

  test.each(["a length that is announced", "chunks"])(
    "a client that sends all of a body of megabytes, in %s, before it reads has its answer",
    async (framing) => {
      const { hostname, port } = new URL(service.baseUrl);
      const socket = connect(Number(port), hostname).pause();
      const body = "x".repeat(20_000_000);
      const [header, sent] =
        framing === "chunks"
          ? ["Transfer-Encoding: chunked", `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`]
          : [`Content-Length: ${body.length}`, body];
      const head = `POST /v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nContent-Type: application/json\r\n`;
      await new Promise((done) => socket.write(`${head}${header}\r\n\r\n${sent}`, done));
      socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      expect((await text(socket)).match(/HTTP\/1.1 \d{3}/g)).toEqual(["HTTP/1.1 413", "HTTP/1.1 200"]);
    },
  );

  test("a request given twice the credentials is answered with 401", async () => {
    const twice = `Authorization: Bearer good\r\n`.repeat(2);
    const response = await exchange(`GET /v1/things HTTP/1.1\r\n${HEAD}${twice}\r\n`);
    expect(response.status).toBe(401);
  });

  test("what is no request, sent behind requests, is answered behind their answers", async () => {
    const { hostname, port } = new URL(service.baseUrl);
    const socket = connect(Number(port), hostname);
    const body = '{"name":"cup"}';
    const post = `POST /v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    socket.write(`${post}${post}GARBAGE\r\n\r\n`);
    expect((await text(socket)).match(/HTTP\/1.1 \d{3}/g)).toEqual(["HTTP/1.1 201", "HTTP/1.1 201", "HTTP/1.1 400"]);
  });

  test("a request that is refused gets no 100 Continue", async () => {
    const { hostname, port } = new URL(service.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.write(`POST /v1/things HTTP/1.1\r\n${HEAD}Expect: 100-continue\r\nContent-Length: 9\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 401 /);
  });

  test("a client of HTTP/1.0 gets no 100 Continue, because it would take that for the answer", async () => {
    const { hostname, port } = new URL(service.baseUrl);
    const socket = connect(Number(port), hostname);
    const body = '{"name":"cup"}';
    const headers = `Authorization: Bearer good\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    socket.write(`POST /v1/things HTTP/1.0\r\n${headers}Expect: 100-continue\r\n\r\n${body}`);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 201 /);
  });
});

test("an address that is taken is said with what to set, and why", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void other.close());
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const refusal = await listen(() => {}, { host: "127.0.0.1", port }).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(ListenError);
  expect(refusal).toMatchObject({
    name: "ListenError",
    message: `Cannot listen on 127.0.0.1:${port}: the address is already in use. Set HOST and PORT to a free address.`,
    cause: { code: "EADDRINUSE" },
  });
});
