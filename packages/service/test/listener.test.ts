import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { listen, ListenError } from "../src/http/listener.ts";
import { startThings, type Things } from "../testing/start-things.ts";

describe("the listener", () => {
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

  const codingCase =
    (status: number, code: string) =>
    (coding: string): [string, string, number, string] => [
      `Transfer-Encoding: ${coding}`,
      `POST /v1/things HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n`,
      status,
      code,
    ];

  test.each<[string, string, number, string]>([
    ["a line that is not a request", "nonsense\r\n\r\n", 400, "invalid_request"],
    ["an unknown method", `BREW /v1/things HTTP/1.1\r\n${HEAD}\r\n`, 501, "not_implemented"],
    [
      "an unknown method that starts like a known one",
      `GETS /v1/things HTTP/1.1\r\n${HEAD}\r\n`,
      501,
      "not_implemented",
    ],
    ["a method in lower case", `get /v1/things HTTP/1.1\r\n${HEAD}\r\n`, 501, "not_implemented"],
    ["a method of another protocol", `DESCRIBE /v1/things HTTP/1.1\r\n${HEAD}\r\n`, 501, "not_implemented"],
    ["a method that is not a token", `GE(T /v1/things HTTP/1.1\r\n${HEAD}\r\n`, 400, "invalid_request"],
    ["the greeting of TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400, "invalid_request"],
    ["a header without a colon", `GET /v1/things HTTP/1.1\r\n${HEAD}bad\r\n\r\n`, 400, "invalid_request"],
    ["a bad Content-Length", `POST /v1/things HTTP/1.1\r\n${HEAD}Content-Length: x\r\n\r\n`, 400, "invalid_request"],
    [
      "two framings of the body",
      `POST /v1/things HTTP/1.1\r\n${HEAD}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
      400,
      "invalid_request",
    ],
    ["an invalid Host", `GET /v1/things HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n`, 400, "invalid_request"],
    ["two Hosts", `GET /v1/things HTTP/1.1\r\n${HEAD}Host: y\r\n\r\n`, 400, "invalid_request"],
    ["CONNECT", `CONNECT x:80 HTTP/1.1\r\n${HEAD}\r\n`, 405, "method_not_allowed"],
    [
      "a chunk with too long extensions",
      `POST /v1/things HTTP/1.1\r\n${HEAD}Authorization: Bearer good\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2;x=${"x".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
      400,
      "invalid_request",
    ],
    ["no Host", "GET /v1/things HTTP/1.1\r\nConnection: close\r\n\r\n", 400, "invalid_request"],
    ...["0.9", "1.2", "1.10", "2", "2.0", "3.0", "9.9", "11.0"].map((version): [string, string, number, string] => [
      `HTTP/${version}`,
      `GET /v1/things HTTP/${version}\r\n${HEAD}\r\n`,
      505,
      "http_version_not_supported",
    ]),
    ["no version", "GET /v1/things\r\n\r\n", 505, "http_version_not_supported"],
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "http_version_not_supported"],
    ["a version that is not a number", `GET /v1/things HTTP/1.x\r\n${HEAD}\r\n`, 400, "invalid_request"],
    ...["gzip, chunked", "gzip\r\nTransfer-Encoding: chunked", "x,chunked"].map(codingCase(501, "not_implemented")),
    ...["gzip", "identity", "chunked, chunked", "chunked, gzip", "chunked;a=b", ""].map(
      codingCase(400, "invalid_request"),
    ),
    ...["/v1/things#x", "/v1/things?limit=1#x", "http://user@x/v1/things", "http://user:pw@x/v1/things?a=b"].map(
      (target): [string, string, number, string] => [
        `the target ${target}`,
        `GET ${target} HTTP/1.1\r\n${HEAD}\r\n`,
        400,
        "invalid_request",
      ],
    ),
    ...[
      "100-continue, tea",
      "tea,100-continue",
      "x-100-continue",
      "100-continue;q=1",
      "100-continue\r\nExpect: tea",
    ].map((expectation): [string, string, number, string] => [
      `Expect: ${expectation}`,
      `POST /v1/things HTTP/1.1\r\n${HEAD}Content-Length: 2\r\nExpect: ${expectation}\r\n\r\n`,
      417,
      "expectation_failed",
    ]),
    [
      "too large headers",
      `GET /v1/things HTTP/1.1\r\n${HEAD}X: ${"x".repeat(20_000)}\r\n\r\n`,
      431,
      "headers_too_large",
    ],
    [
      "too large headers after a long path",
      `GET /${LONG} HTTP/1.1\r\n${HEAD}X: ${LONG}\r\n\r\n`,
      431,
      "headers_too_large",
    ],
    ["a too long path", `GET /v1/${"x".repeat(20_000)} HTTP/1.1\r\n${HEAD}\r\n`, 414, "uri_too_long"],
    ["a too long path without an end", `GET /v1/${"x".repeat(70_000)}`, 414, "uri_too_long"],
    ["a path and query of 8 KiB and a byte", `GET /?${"x".repeat(8_191)} HTTP/1.1\r\n${HEAD}\r\n`, 414, "uri_too_long"],
    [
      "a path that is too long before it is decoded",
      `GET /${"%61".repeat(4_000)} HTTP/1.1\r\n${HEAD}\r\n`,
      414,
      "uri_too_long",
    ],
    [
      "chunks in HTTP/1.0",
      `POST /v1/things HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      "invalid_request",
    ],
    ["an unknown expectation", `GET /v1/things HTTP/1.1\r\n${HEAD}Expect: tea\r\n\r\n`, 417, "expectation_failed"],
  ])("rejects with an Error body: %s", async (_title, request, status, code) => {
    const response = await exchange(request);
    expect(response.status).toBe(status);
    expect(response.headers).toMatch(/content-type: application\/json/i);
    expect(response.headers).toMatch(/^cache-control: no-store\r?$/im);
    expect(response.headers).toMatch(/^connection: close\r?$/im);
    expect(/^Allow: (.*)/m.exec(response.headers)?.[1]).toBe(status === 405 ? "" : undefined);
    expect(response.body).toEqual({ code, message: expect.any(String), status });
  });

  test.each(["//user@x/v1/things", "/v1/things/a@b", "http://x/a@b", "/none?a=http://user@x"])(
    "takes %s as a target without user information",
    async (target) => {
      expect((await exchange(`GET ${target} HTTP/1.1\r\n${HEAD}\r\n`)).status).not.toBe(400);
    },
  );

  test("accepts Expect: 100-Continue in any case", async () => {
    const { hostname, port } = new URL(service.baseUrl);
    const socket = connect(Number(port), hostname);
    const head = `POST /v1/things HTTP/1.1\r\n${HEAD}Authorization: Bearer good\r\nContent-Type: application/json\r\n`;
    socket.write(`${head}Expect: 100-Continue\r\nContent-Length: 14\r\n\r\n{"name":"cup"}`);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 /);
  });

  test("accepts a path and query of 8 KiB", async () => {
    const { headers, body } = await exchange(`GET /${"x".repeat(8_191)} HTTP/1.1\r\n${HEAD}\r\n`);
    expect(headers).toMatch(/^HTTP\/1.1 404 /);
    expect(body).toMatchObject({ code: "not_found" });
  });

  test.each([
    ["a path", [`GET /v1/${LONG}`, `${LONG} HTTP/1.1\r\n${HEAD}\r\n`], 414],
    ["a header", [`GET /v1/things HTTP/1.1\r\n${HEAD}X: ${LONG}`, `${LONG}\r\n\r\n`], 431],
    ["a header with spaces", [`GET /v1/things HTTP/1.1\r\n${HEAD}X: ${LONG}`, `a GET ${LONG}`, LONG], 431],
  ])("rejects %s that arrives in pieces and becomes too large", async (_title, pieces, status) => {
    const { hostname, port } = new URL(service.baseUrl);
    const socket = connect(Number(port), hostname).setNoDelay();
    for (const piece of pieces) {
      socket.write(piece);
      await service.request("/things"); // a response to a later request proves that the service has read the piece
    }
    expect(await text(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  test("responds to earlier requests on the connection before it rejects an unknown method with 501", async () => {
    const { hostname, port } = new URL(service.baseUrl);
    const socket = connect(Number(port), hostname);
    const post = `POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}`;
    socket.write(`${post}${post}BREW / HTTP/1.1\r\n\r\n`);
    expect((await text(socket)).match(/HTTP\/1.1 \d{3}/g)).toEqual(["HTTP/1.1 405", "HTTP/1.1 405", "HTTP/1.1 501"]);
  });

  test("does not read the bytes after an HTTP/1.0 request with chunks as a request", async () => {
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

  test("responds to headers of megabytes with 431, even while the client still sends them", async () => {
    const request = `GET /v1/things HTTP/1.1\r\n${HEAD}X: ${"x".repeat(8_000_000)}\r\n\r\n`;
    for (let attempt = 0; attempt < 10; attempt++) expect((await exchange(request)).status).toBe(431);
  });

  test.each(["Content-Length", "chunks"])(
    "responds 413 to a body of megabytes, with %s, even if the client reads only after it has sent all",
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

  test("responds 401 to a request with two Authorization headers", async () => {
    const twice = `Authorization: Bearer good\r\n`.repeat(2);
    const response = await exchange(`GET /v1/things HTTP/1.1\r\n${HEAD}${twice}\r\n`);
    expect(response.status).toBe(401);
  });

  test("responds to earlier requests on the connection before it rejects garbage with 400", async () => {
    const { hostname, port } = new URL(service.baseUrl);
    const socket = connect(Number(port), hostname);
    const body = '{"name":"cup"}';
    const post = `POST /v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    socket.write(`${post}${post}GARBAGE\r\n\r\n`);
    expect((await text(socket)).match(/HTTP\/1.1 \d{3}/g)).toEqual(["HTTP/1.1 201", "HTTP/1.1 201", "HTTP/1.1 400"]);
  });

  test("sends no 100 Continue for a rejected request", async () => {
    const { hostname, port } = new URL(service.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.write(`POST /v1/things HTTP/1.1\r\n${HEAD}Expect: 100-continue\r\nContent-Length: 9\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 401 /);
  });

  test("sends no 100 Continue to an HTTP/1.0 client, which would read it as the response", async () => {
    const { hostname, port } = new URL(service.baseUrl);
    const socket = connect(Number(port), hostname);
    const body = '{"name":"cup"}';
    const headers = `Authorization: Bearer good\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    socket.write(`POST /v1/things HTTP/1.0\r\n${headers}Expect: 100-continue\r\n\r\n${body}`);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 201 /);
  });
});

test.each(["nonsense\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n"])(
  "a malformed request behind another gets an Error after the whole response to the first: %j",
  async (malformed) => {
    const { promise: firstPart, resolve } = Promise.withResolvers<ServerResponse>();
    const app = (_request: unknown, response: ServerResponse) => resolve((response.write("first"), response));
    const listener = await listen(app, { host: "127.0.0.1", port: 0 });
    onTestFinished(async () => void (await listener.close(0)));
    const socket = connect(Number(new URL(listener.origin).port), "127.0.0.1");
    socket.write(`GET / HTTP/1.1\r\nHost: x\r\n\r\n${malformed}`);
    const received = text(socket);
    (await firstPart).end("last");
    expect((await received).replaceAll("\r\n", " ")).toMatch(
      /^HTTP\/1.1 200 .* last 0 {2}HTTP\/1.1 400 .*"invalid_request"/,
    );
  },
);

describe("a body", () => {
  const HEAD = "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
  const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
  const chunks = (count: number, data: string, extension = "") =>
    `${data.length.toString(16)}${extension}\r\n${data}\r\n`.repeat(count) + "0\r\n\r\n";

  /** Sends a request to a server that responds with the length of the body, or before the body arrives. */
  async function exchange(sent: string, respondsAtOnce = false): Promise<string> {
    const app = (request: IncomingMessage, response: ServerResponse) => {
      if (respondsAtOnce) response.end("early");
      else
        void text(request).then(
          (body) => response.end(String(body.length)),
          () => {},
        );
    };
    const listener = await listen(app, { host: "127.0.0.1", port: 0 });
    onTestFinished(async () => void (await listener.close(0)));
    const socket = connect(Number(new URL(listener.origin).port), "127.0.0.1").on("error", () => {});
    socket.write(sent);
    return text(socket);
  }

  test.each([
    ["single bytes", chunks(60_000, "x")],
    ["single bytes with extensions", chunks(30_000, "x", ";a")],
    ["a few bytes", chunks(60_000, "xxxx")],
  ])("in chunks of %s is refused with 400 and what to do", async (_title, body) => {
    const answer = await exchange(CHUNKED + body);
    expect(answer).toMatch(/^HTTP\/1.1 400 [^]*"invalid_request"[^]*too many small chunks. Send larger ones/);
    expect(answer).toMatch(/^connection: close\r?$/im);
  });

  test.each([
    ["4,000 single bytes", chunks(4_000, "x"), 4_000],
    ["20,000 lines of 50 bytes", chunks(20_000, "x".repeat(50)), 1_000_000],
  ])("in chunks of %s is accepted", async (_title, body, length) => {
    expect(await exchange(CHUNKED + body)).toMatch(new RegExp(`^HTTP/1.1 200 [^]*\r\n${length}$`));
  });

  test("that is malformed after its response was sent gets no second response", async () => {
    expect((await exchange(`${CHUNKED.replace("close", "keep-alive")}zz\r\n`, true)).match(/HTTP\/1.1 \d+/g)).toEqual([
      "HTTP/1.1 200",
    ]);
  });
});

describe("requests on one connection", () => {
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

  /** Starts a server that reports the paths of requests as they are served. */
  async function serving(body: string | Buffer) {
    const served: string[] = [];
    const app: Parameters<typeof listen>[0] = (request, response) => {
      served.push(request.url!);
      request.resume().on("end", () => setImmediate(() => response.end(request.url === "/other" ? "" : body)));
    };
    const listener = await listen(app, { host: "127.0.0.1", port: 0 });
    onTestFinished(async () => void (await listener.close(0)));
    const open = (options = {}) =>
      connect({ host: "127.0.0.1", port: Number(new URL(listener.origin).port), ...options });
    /** Waits until the server has read what was sent before. */
    const roundTrip = async () => void (await (await fetch(`${listener.origin}/other`)).text());
    return { served, open, roundTrip };
  }

  test("are served in order, with their bodies, wherever the pieces of input end", async () => {
    const { served, open } = await serving("x");
    const post = "POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc";
    const chunked = "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
    const all = get("/a") + post + chunked + get("/d") + "GET /e HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    for (const size of [1, 7, 50, 100, all.length]) {
      const socket = open().setNoDelay();
      for (let at = 0; at < all.length; at += size)
        await new Promise((done) => socket.write(all.slice(at, at + size), done));
      expect((await text(socket)).match(/HTTP\/1.1 200/g)).toHaveLength(5);
      expect(served.splice(0)).toEqual(["/a", "/b", "/c", "/d", "/e"]);
    }
  });

  test("wait while the response to an earlier one is not read, and then are all served", async () => {
    const body = Buffer.alloc(8 * 2 ** 20, "x");
    const { served, open, roundTrip } = await serving(body);
    const socket = open().pause();
    socket.write(get("/").repeat(5) + "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    await expect.poll(() => served.length).toBeGreaterThan(0);
    for (let round = 0; round < 20; round++) await roundTrip();
    expect(served.filter((path) => path === "/").length).toBeLessThan(4);
    expect((await buffer(socket)).length).toBeGreaterThan(6 * body.length);
    expect(served.filter((path) => path === "/")).toHaveLength(6);
  });

  test.each(["GET /upgrade HTTP/1.1\r\n", "POST /upgrade HTTP/1.1\r\nContent-Length: 3\r\n"])(
    "wait for the response to an earlier one, although they ask for another protocol: %j",
    async (head) => {
      const { served, open } = await serving("x");
      const socket = open();
      socket.write(`${get("/first")}${head}Host: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n`);
      if (head.startsWith("POST")) socket.write("abc");
      await expect.poll(() => served).toEqual(["/first", "/upgrade"]);
      socket.write("GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      expect((await text(socket)).match(/HTTP\/1.1 200/g)).toHaveLength(3);
    },
  );

  test("are all served before CONNECT is rejected", async () => {
    const { open } = await serving("x");
    const socket = open();
    socket.write(`${get("/").repeat(2)}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect((await text(socket)).match(/HTTP\/1.1 \d{3}/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 405"]);
  });

  test("end without harm when a client resets the connection after CONNECT", async () => {
    const { served, open, roundTrip } = await serving("x");
    for (const before of ["", get("/")]) {
      const socket = open().on("error", () => {});
      socket.write(`${before}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`);
      await once(socket, "data");
      socket.resetAndDestroy();
      await roundTrip();
    }
    expect(served.at(-1)).toBe("/other");
  });

  test("are all served although the client has ended its side", async () => {
    const { open } = await serving("x");
    const socket = open({ allowHalfOpen: true }).end(get("/").repeat(5));
    expect((await text(socket)).match(/HTTP\/1.1 200/g)).toHaveLength(5);
  });

  test("are not served after the last response on the connection", async () => {
    const { served, open } = await serving("x");
    const socket = open();
    socket.write("GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" + get("/late"));
    expect((await text(socket)).match(/HTTP\/1.1 \d{3}/g)).toEqual(["HTTP/1.1 200"]);
    expect(served).toEqual(["/last"]);
  });

  test("are not served after a handler has destroyed the connection", async () => {
    const served: string[] = [];
    const app: Parameters<typeof listen>[0] = (request, response) => {
      served.push(request.url!);
      if (request.url === "/first") response.destroy();
      else response.end("x");
    };
    const listener = await listen(app, { host: "127.0.0.1", port: 0 });
    onTestFinished(async () => void (await listener.close(0)));
    const socket = connect(Number(new URL(listener.origin).port), "127.0.0.1").on("error", () => {});
    socket.resume().write(get("/first") + get("/second"));
    await new Promise((done) => socket.once("close", done));
    await (await fetch(`${listener.origin}/third`)).text();
    expect(served).toEqual(["/first", "/third"]);
  });

  test("leave other connections their turn", async () => {
    const { served, open, roundTrip } = await serving("x");
    const other = open();
    await once(other, "connect");
    await roundTrip();
    open().resume().write(get("/many").repeat(1_000));
    other.write(get("/few"));
    await once(other, "data");
    expect(served.filter((path) => path === "/many").length).toBeLessThan(500);
  });
});

describe("a server that closes", () => {
  const GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  const connected = async () => {
    const app = (_request: unknown, response: { end: (text: string) => void }) => response.end("x");
    const listener = await listen(app as never, { host: "127.0.0.1", port: 0 });
    const { hostname, port } = new URL(listener.origin);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    await fetch(listener.origin, { headers: { Connection: "close" } }); // the server has accepted the connection by now
    return { listener, socket };
  };

  test("responds to a request that arrives on a connection opened before", async () => {
    const { listener, socket } = await connected();
    listener.drain();
    const closed = listener.close();
    socket.write(GET);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 /);
    expect(await closed).toBe(0);
  });

  test("sends the whole of a response that a slow client has not read yet", async () => {
    const body = "x".repeat(30_000_000);
    const app = (_request: unknown, response: { end: (text: string) => void }) => response.end(body);
    const listener = await listen(app as never, { host: "127.0.0.1", port: 0 });
    const socket = connect(Number(new URL(listener.origin).port), "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(socket, "readable"); // the handler has ended the response, and the system's buffers hold a part of it
    const closed = listener.close();
    await setTimeout(200); // connections without a request are closed every 50 ms
    expect((await text(socket)).length).toBeGreaterThan(body.length);
    expect(await closed).toBe(0);
  });

  test("ends a connection without a request after half a second, and one after its last response at once", async () => {
    const { listener, socket: unused } = await connected();
    const used = connect(Number(new URL(listener.origin).port), "127.0.0.1");
    used.write(GET);
    await once(used, "data");
    const began = performance.now();
    const closed = listener.close();
    await text(used);
    expect(performance.now() - began).toBeLessThan(400);
    await text(unused);
    expect(await closed).toBe(0);
    expect(performance.now() - began).toBeGreaterThan(400);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});

test("the error for an address in use gives the reason and the settings to change", async () => {
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
