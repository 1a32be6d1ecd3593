import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import express, { type RequestHandler } from "express";
import { describe, expect, onTestFinished, test } from "vitest";
import { implement } from "../src/index.ts";
import { anyJson, serveEcho } from "./echo.ts";
import { listen } from "./listen.ts";

const query = (name: string, schema: object, more: object = {}) => ({ in: "query", name, schema, ...more });
const operation = (parameters: object[], more: object = {}) => ({
  "/x": { get: { operationId: "x", parameters, responses: anyJson, ...more } },
});

/** Sends a request to an operation with these parameters. Returns the status and the handler's input. */
async function ask(parameters: object[], path: string, headers: Record<string, string> = {}) {
  await using server = await serveEcho(operation(parameters));
  const response = await fetch(`${server.baseUrl}${path}`, { headers });
  return { status: response.status, ...((await response.json()) as Record<string, unknown>) };
}

/**
 * Serves a document and sends a request for `/x` with the given raw text after its Host header. Returns the bytes received until
 * the connection ends.
 */
async function raw(paths: object, method = "POST"): Promise<(rest: string) => Promise<string>> {
  const server = await serveEcho(paths);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return async (rest) => {
    const { hostname, port } = new URL(server.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.write(`${method} /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${rest}`);
    return text(socket);
  };
}

test.each(["Accept", "content-type", "AUTHORIZATION"])(
  "the declaration of %s as a parameter is ignored (OpenAPI 3.1, Parameter Object)",
  async (name) => {
    const ignored = { in: "header", name, required: true, schema: { type: "integer" } };
    const got = await ask([ignored], "/x", { Accept: "*/*", Authorization: "x" });
    expect(got).toMatchObject({ status: 200, headers: {} });
  },
);

describe("parameters", () => {
  test("cookies have their declared types and defaults", async () => {
    const cookies = [
      { in: "cookie", name: "Count", schema: { type: "integer" } },
      { in: "cookie", name: "size", schema: { type: "integer", default: 3 } },
    ];
    expect(await ask(cookies, "/x", { Cookie: "Count=0; other=1" })).toMatchObject({
      status: 200,
      cookies: { Count: 0, size: 3 },
    });
    expect(await ask(cookies, "/x", { Cookie: "Count=x" })).toMatchObject({
      status: 400,
      message: expect.stringContaining('Cookie "Count"'),
    });
  });

  test("a cookie is distinguished from a query parameter with a similar name", async () => {
    const integer = { schema: { type: "integer" } };
    const parameters = [query("SIZE", integer.schema), { in: "cookie", name: "size", ...integer }];
    const got = await ask(parameters, "/x?SIZE=1", { Cookie: "size=2" });
    expect(got).toEqual(expect.objectContaining({ query: { SIZE: 1 }, cookies: { size: 2 }, headers: {} }));
  });

  test("a list in a header may contain white space", async () => {
    const ids = [{ in: "header", name: "X-Ids", schema: { type: "array", items: { type: "integer" } } }];
    expect(await ask(ids, "/x", { "X-Ids": "1, 2,3" })).toMatchObject({ status: 200, headers: { "X-Ids": [1, 2, 3] } });
    expect(await ask(ids, "/x", { "X-Ids": "1, 0x2" })).toMatchObject({
      status: 400,
      message: expect.stringContaining('Item 2 of header "X-Ids"'),
    });
    expect(await ask(ids, "/x")).toMatchObject({ status: 200, headers: {} });
  });

  test.each([
    ["a space", { style: "spaceDelimited", explode: false }, "10%20-20"],
    ["a bar", { style: "pipeDelimited", explode: false }, "10%7C-20"],
    ["a comma", { explode: false }, "10,-20"],
    ["a repeated name", {}, "10&ids=-20"],
  ])("integers in the query may be separated by %s", async (_title, style, sent) => {
    const ids = query("ids", { type: "array", items: { type: "integer" } }, style);
    const message = expect.stringMatching(/^Item \d of query parameter "ids" must be an integer in plain decimal/);
    expect(await ask([ids], `/x?ids=${sent}`)).toMatchObject({ status: 200, query: { ids: [10, -20] } });
    expect(await ask([ids], `/x?ids=${sent.replace("-20", "0x20")}`)).toMatchObject({ status: 400, message });
  });

  test("integers in repeated parameters are not also separated by commas", async () => {
    const ids = query("ids", { type: "array", items: { type: "integer" } });
    const message = expect.stringMatching(/^Item \d of query parameter "ids" must be an integer in plain decimal/);
    expect(await ask([ids], "/x?ids=1%2C2")).toMatchObject({ status: 400, message });
  });

  test.each([
    ["f[a]=5", 200],
    ["f[a]=0x10", 400],
    ["f[a]=9007199254740993", 400],
  ])("an integer in an object: %s is %d", async (sent, status) => {
    const filter = query(
      "f",
      { type: "object", properties: { a: { type: "integer" } } },
      { style: "deepObject", explode: true },
    );
    expect(await ask([filter], `/x?${sent}`)).toMatchObject({ status });
  });

  test.each([
    ['{"k":1}', 200],
    ['{"k":9007199254740993}', 400],
    ['{"k":1,"k":2}', 400],
    ["{", 400],
  ])("JSON in a parameter: %s is %d", async (sent, status) => {
    for (const type of ["application/json", "application/geo+json", "text/json"]) {
      const json = { in: "query", name: "j", content: { [type]: { schema: { type: "object" } } } };
      expect(await ask([json], `/x?j=${encodeURIComponent(sent)}`)).toMatchObject({ status });
    }
  });

  test("text in a parameter with the media type text/plain is not read as JSON", async () => {
    const plain = { in: "query", name: "t", content: { "text/plain": { schema: { type: "string" } } } };
    expect(await ask([plain], "/x?t=1e400")).toMatchObject({ status: 200, query: { t: "1e400" } });
  });

  test("JSON that can only be a string may lack its quotation marks", async () => {
    const json = (schema: object) => ({ in: "query", name: "t", content: { "application/json": { schema } } });
    const string = json({ type: "string" });
    expect(await ask([string], "/x?t=a%20b")).toMatchObject({ status: 200, query: { t: "a b" } });
    expect(await ask([string], "/x?t=%22a%22")).toMatchObject({ status: 200, query: { t: "a" } });
    expect(await ask([string], "/x?t=%22a")).toMatchObject({ status: 400 });
    expect(await ask([json({ type: ["string", "object"] })], "/x?t=a")).toMatchObject({ status: 400 });
  });

  test("a nullable integer must also have plain decimal digits", async () => {
    const id = query("id", { anyOf: [{ type: "integer" }, { type: "null" }] });
    expect(await ask([id], "/x?id=5")).toMatchObject({ status: 200, query: { id: 5 } });
    expect(await ask([id], "/x?id=0x5")).toMatchObject({ status: 400 });
  });

  test("a query with invalid percent-encoding is rejected, not repaired", async () => {
    for (const sent of ["q=%zz", "q=%ff", "%=1"])
      expect(await ask([query("q", { type: "string" })], `/x?${sent}`)).toMatchObject({ status: 400 });
  });
});

test("a path may escape unreserved characters", async () => {
  const petId = { in: "path", name: "petId", required: true, schema: { type: "string" } };
  const paths = { "/pets/{petId}": { get: { operationId: "x", parameters: [petId], responses: anyJson } } };
  await using server = await serveEcho(paths);
  const response = await fetch(`${server.baseUrl}/%70%65ts/%7Ea%2Fb%25`);
  expect(await response.json()).toMatchObject({ path: { petId: "~a/b%" } });
  expect((await fetch(`${server.baseUrl}/pets%2F1`)).status).toBe(404);
});

describe("conditions", () => {
  const declared = { in: "header", name: "if-match", schema: { type: "string" } };
  const requestBody = { content: { "application/json": { schema: { type: "object" } } } };
  const paths = {
    "/x": {
      get: { operationId: "read", responses: anyJson },
      post: { operationId: "create", requestBody, responses: anyJson },
      put: { operationId: "replace", parameters: [declared], responses: anyJson },
      options: { operationId: "ask", responses: anyJson },
    },
    "/y": { head: { operationId: "peek", responses: anyJson } },
  };
  const send = async (method: string, headers: Record<string, string>, body?: string) => {
    await using server = await serveEcho(paths);
    const init = { method, headers: { "Content-Type": "application/json", ...headers }, ...(body && { body }) };
    const response = await fetch(`${server.baseUrl}/x`, init);
    const { message = "" } = (await response.json()) as { message?: string };
    return `${response.status} ${message}`;
  };

  test.each(["If-Match", "If-None-Match"])(
    "%s is rejected on an unsafe operation that does not declare it",
    async (name) => {
      const message = `412 This operation does not support ${name}, so it did nothing. Leave the header out.`;
      for (const tag of ["*", '"a"']) expect(await send("POST", { [name]: tag })).toBe(message);
      expect(await send("POST", { [name]: "*" }, "[]")).toMatch(/^400 /);
    },
  );

  test("a handler evaluates a condition that its operation declares, and a safe operation ignores conditions", async () => {
    expect(await send("PUT", { "If-Match": "*" })).toMatch(/^200 /);
    expect(await send("PUT", { "If-None-Match": "*" })).toMatch(/^412 /);
    expect(await send("GET", { "If-Match": "*", "If-None-Match": "*" })).toMatch(/^200 /);
    expect(await send("OPTIONS", { "If-Match": "*" })).toMatch(/^200 /);
    await using server = await serveEcho(paths);
    expect((await fetch(`${server.baseUrl}/y`, { method: "HEAD", headers: { "If-Match": "*" } })).status).toBe(200);
    expect(await send("POST", { "If-Unmodified-Since": "Sat, 01 Jan 2000 00:00:00 GMT" })).toMatch(/^200 /);
  });
});

describe("bodies", () => {
  const post = (content: object) => ({
    "/x": { post: { operationId: "x", requestBody: { required: true, content }, responses: anyJson } },
  });

  test("a form keeps every field, and must have valid percent-encoding", async () => {
    await using server = await serveEcho(post({ "application/x-www-form-urlencoded": { schema: { type: "object" } } }));
    const send = (body: string) =>
      fetch(`${server.baseUrl}/x`, {
        method: "POST",
        body,
        headers: { "Content-Type": "application/x-www-form-urlencoded" },
      });
    const many = Array.from({ length: 1500 }, (_, index) => `f${index}=${index}`).join("&");
    const { body } = (await (await send(many)).json()) as { body: object };
    expect(Object.keys(body)).toHaveLength(1500);
    expect((await send("a=%FF")).status).toBe(400);
  });

  test("a form without fields is a body", async () => {
    await using server = await serveEcho(post({ "application/x-www-form-urlencoded": { schema: { type: "object" } } }));
    const response = await fetch(`${server.baseUrl}/x`, { method: "POST", body: new URLSearchParams() });
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ body: {} })]);
    expect((await fetch(`${server.baseUrl}/x`, { method: "POST" })).status).toBe(400);
  });

  test("a missing required body gets a 400 that lists its media types", async () => {
    await using server = await serveEcho(post({ "application/json": {}, "text/plain": {} }));
    const response = await fetch(`${server.baseUrl}/x`, { method: "POST" });
    const message = "A request body is required. Send it as one of: application/json, text/plain.";
    expect(await response.json()).toEqual({ code: "invalid_request", status: 400, message });
  });

  test("a required body of a GET may be missing, and is validated if it is sent", async () => {
    const requestBody = { required: true, content: { "application/json": { schema: { type: "integer" } } } };
    const send = await raw({ "/x": { get: { operationId: "x", requestBody, responses: anyJson } } }, "GET");
    const json = "Content-Type: application/json\r\n";
    expect(await send("\r\n")).toMatch(/^HTTP\/1.1 200 /);
    expect(await send(`${json}Content-Length: 1\r\n\r\n1`)).toMatch(/^HTTP\/1.1 200 /);
    expect(await send(`${json}Content-Length: 3\r\n\r\n"a"`)).toMatch(/^HTTP\/1.1 400 /);
  });

  test("an undeclared body is not read", async () => {
    await using server = await serveEcho({ "/x": { post: { operationId: "x", responses: anyJson } } });
    const response = await fetch(`${server.baseUrl}/x`, { method: "POST", body: "text" });
    expect([response.status, Object.keys((await response.json()) as object).includes("body")]).toEqual([200, false]);
  });

  test("a body must be UTF-8, and is read in the order of its parts", async () => {
    await using server = await serveEcho(post({ "application/json": {} }));
    const send = async (...parts: Uint8Array[]) => {
      const init = { method: "POST", body: ReadableStream.from(parts), duplex: "half" as const };
      const headers = { "Content-Type": "application/json" };
      const response = await fetch(`${server.baseUrl}/x`, { ...init, headers });
      return (await response.json()) as object;
    };
    const parts = ['["é"', ',"b"', ',"c"', ',"d"]'].map((part) => Buffer.from(part));
    expect(await send(...parts)).toMatchObject({ body: ["é", "b", "c", "d"] });
    const message = "The request body is not valid UTF-8. Encode it as UTF-8.";
    expect(await send(Buffer.from('["\xe9"]', "latin1"))).toMatchObject({ status: 400, message });
  });

  test("an HTTP/1.0 client gets no 100, because it would read 100 as the response", async () => {
    await using server = await serveEcho(post({ "application/json": {} }));
    const { hostname, port } = new URL(server.baseUrl);
    const socket = connect(Number(port), hostname);
    const headers = ["Host: x", "Expect: 100-continue", "Content-Type: application/json", "Content-Length: 2"];
    socket.write(`POST /x HTTP/1.0\r\n${headers.join("\r\n")}\r\n\r\n{}`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("an integer of the format int64 must be exact in a double", async () => {
    const schema = { type: "object", properties: { id: { type: "integer", format: "int64" } } };
    await using server = await serveEcho(post({ "application/json": { schema } }));
    const send = async (id: string) => {
      const headers = { "Content-Type": "application/json" };
      const response = await fetch(`${server.baseUrl}/x`, { method: "POST", body: `{"id":${id}}`, headers });
      return [response.status, ((await response.json()) as { message?: string }).message];
    };
    expect(await send("9007199254740991")).toEqual([200, undefined]);
    expect(await send("-9007199254740991")).toEqual([200, undefined]);
    for (const beyond of ["9007199254740992", "-9007199254740992", "1e300"])
      expect(await send(beyond)).toEqual([
        400,
        'Body field "id" must be an integer from -9007199254740991 to 9007199254740991.',
      ]);
  });

  test.each([
    ["https://example.org/a?b=c#d", 200],
    ["http://10.0.0.1", 200],
    ["ftp://example.org", 200],
    ["mailto:a@example.org", 400],
    ["mailto:http://example.org", 400],
    ["example.org", 400],
    ["http://", 400],
    ["http://a.b/\r\nX: y", 400],
    ["https:////example.org", 400],
    ["http://example.org/a b", 400],
    [`http://${":".repeat(60_000)}`, 400],
  ])("a URL: %.40s is %d", async (url, status) => {
    await using server = await serveEcho(post({ "application/json": { schema: { type: "string", format: "url" } } }));
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(`${server.baseUrl}/x`, { method: "POST", body: JSON.stringify(url), headers });
    expect(response.status).toBe(status);
  });

  test.each([
    ["application/json; charset=utf-8", 200],
    ["APPLICATION/JSON ;CHARSET=UTF-8", 200],
    ["application/json; charset=latin1", 415],
    ["application/json; version=2", 415],
    [`application/json;${" ".repeat(10_000)}charset=utf-8`, 415],
    ["json", 415],
  ])("Content-Type: %.40s is %d", async (contentType, status) => {
    await using server = await serveEcho(post({ "application/json": {} }));
    const response = await fetch(`${server.baseUrl}/x`, {
      method: "POST",
      body: "{}",
      headers: { "Content-Type": contentType },
    });
    expect(response.status).toBe(status);
  });

  test("the response to an unsupported Content-Encoding names the supported one", async () => {
    const send = await raw(post({ "application/json": {} }));
    const content = await send(
      "Content-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
    );
    expect(content).toMatch(/^HTTP\/1.1 415 [^]*\r\nAccept-Encoding: identity\r\n[^]*uncompressed/);
    const type = await send("Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}");
    expect(type).toMatch(/^HTTP\/1.1 415 /);
    expect(type).not.toContain("Accept-Encoding");
    const transfer = await send(
      "Content-Type: application/json\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    );
    expect(transfer).toMatch(/^HTTP\/1.1 501 [^]*"code":"not_implemented"/);
  });

  test.each([
    [
      "application/json",
      "text/plain",
      /^HTTP\/1.1 400 [^]*"Header \\"Content-Type\\" is given with different values. Give/,
    ],
    ["text/plain", "application/json", /^HTTP\/1.1 400 /],
    ["application/json", "application/json; charset=utf-8", /^HTTP\/1.1 400 /],
    ["application/json", "application/json", /^HTTP\/1.1 200 /],
  ])("two headers Content-Type, %s and %s: %s", async (first, second, expected) => {
    const send = await raw(post({ "application/json": {} }));
    const answer = await send(`Content-Type: ${first}\r\ncontent-type: ${second}\r\nContent-Length: 2\r\n\r\n{}`);
    expect(answer).toMatch(expected);
  });

  test.each([
    ["application/json", /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /],
    ["text/html", /^HTTP\/1.1 415 /],
  ])("a client that waits for 100 Continue gets it only for a declared media type: %s", async (contentType, answer) => {
    await using server = await serveEcho(post({ "application/json": {} }));
    const { hostname, port } = new URL(server.baseUrl);
    const socket = connect(Number(port), hostname);
    const headers = `Host: x\r\nContent-Type: ${contentType}\r\nContent-Length: 2\r\nConnection: close`;
    socket.write(`POST /x HTTP/1.1\r\n${headers}\r\nExpect: 100-continue\r\n\r\n`);
    let received = "";
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      received += chunk.toString();
      if (received.endsWith(" 100 Continue\r\n\r\n")) socket.write("{}");
    }
    expect(received).toMatch(answer);
  });

  test.each([
    ["within the limit", "2\r\n[1\r\n3\r\n,2]\r\n", 200, [1, 2]],
    ["beyond the limit", "2\r\n[1\r\n4\r\n,22]\r\n", 413, undefined],
  ])("a chunked body that arrives with its head is limited in size: %s", async (_title, chunks, status, body) => {
    const x = { requestBody: { required: true, content: { "application/json": {} } }, responses: anyJson };
    const document = {
      openapi: "3.1.0",
      info: { title: "t", version: "1" },
      paths: { "/x": { post: { operationId: "x", ...x } } },
    };
    const handlers = { x: (input: { body: unknown }) => ({ status: 200, body: { body: input.body } }) };
    const implementation = implement()({ document, handlers: handlers as never, bodyLimit: 5 });
    const later: RequestHandler = (_request, _response, next) => void setImmediate(() => next()); // after the whole body has arrived
    await using server = await listen(express.Router().use(later, implementation));
    const { hostname, port } = new URL(server.baseUrl);
    const socket = connect(Number(port), hostname);
    const headers = "Host: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close";
    socket.write(`POST /x HTTP/1.1\r\n${headers}\r\n\r\n${chunks}0\r\n\r\n`);
    const answer = await text(socket);
    expect(answer).toContain(`HTTP/1.1 ${status} `);
    expect(JSON.parse(answer.split("\r\n\r\n")[1]!)).toMatchObject({ ...(body && { body }) });
  });

  test.each([
    ["has a too large Content-Length", "Content-Length: 99999999\r\n\r\n{"],
    ["has too many chunks", `Transfer-Encoding: chunked\r\n\r\n${`2000\r\n${"x".repeat(0x2000)}\r\n`.repeat(9)}`],
  ])("413 is sent before the rest of a body that %s", async (_title, request) => {
    await using server = await serveEcho(post({ "application/json": {} }));
    const { hostname, port } = new URL(server.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.write(`POST /x HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${request}`);
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 413 /);
    socket.destroy();
  });
});

test("missing headers and cookies are not keys of the handler's input", async () => {
  const parameters = ["header", "cookie"].map((place) => ({ in: place, name: "A", schema: { type: "string" } }));
  const document = { openapi: "3.1.0", paths: operation(parameters) };
  const inputs: { headers: object; cookies: object }[] = [];
  const x = (input: (typeof inputs)[number]) => (inputs.push(input), { status: 200, body: {} });
  await using server = await listen(implement()({ document, handlers: { x } as never }));
  await fetch(`${server.baseUrl}/x`);
  await fetch(`${server.baseUrl}/x`, { headers: { A: "1", Cookie: "A=2" } });
  expect(inputs.map(({ headers, cookies }) => [headers, cookies])).toStrictEqual([
    [{}, {}],
    [{ A: "1" }, { A: "2" }],
  ]);
});

test("a client can send the rest of a body after 413, and then use the connection for another request", async () => {
  const post = { operationId: "x", requestBody: { content: { "application/json": {} } }, responses: anyJson };
  await using server = await serveEcho({ "/x": { post } });
  const { hostname, port } = new URL(server.baseUrl);
  const socket = connect(Number(port), hostname);
  const head = "POST /x HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
  const chunk = `10000\r\n${"x".repeat(0x1_0000)}\r\n`;
  socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}`);
  const [refusal] = (await once(socket, "data")) as [Buffer];
  expect(refusal.toString()).toMatch(/^HTTP\/1.1 413 /);
  socket.write(`${chunk}0\r\n\r\n${head}Content-Length: 2\r\nConnection: close\r\n\r\n{}`);
  expect(await text(socket)).toMatch(/^HTTP\/1.1 200 /);
});

test.each([
  ["application/json; charset=utf-8", 200],
  ["application/json;q=0.1, text/html", 200],
  ["application/*", 200],
  ["text/html", 406],
  ["application/json;q=0", 406],
  ["application/json; version=1", 406],
  ["*/*;q=0, application/json", 200],
  ["application/json;q=0, */*", 406],
  ["application/*;q=0, */*;q=1", 406],
  ["application/json;q=0, application/json;charset=utf-8", 200],
  ["application/json;q=0.5, application/json;q=0", 200],
  ["APPLICATION/JSON;Q=1", 200],
  ['text/html;a="x, application/json"', 406],
  ['text/html;a="\\", application/json', 406],
  ['text/html;a="\\\"", application/json', 200],
  [",, , application/json", 200],
  ["application/json;charset=UTF-8", 200],
  ["json", 406],
  ["", 200],
  ["application/json; q = 0.5", 200],
  ["application/json; q = 0", 406],
])("Accept: %s is %d", async (accept, status) => {
  expect(await ask([], "/x", { Accept: accept })).toMatchObject({ status });
});

test.each([
  ['application/json;charset="UTF-8"', 200],
  ['application/json;charset="latin1"', 406],
  ["text/*", 406],
  ["text/*, application/json;q=0", 406],
  ["text/*;q=0, */*", 200],
  ["application/*;q=0, text/*", 406],
  ["*/*", 200],
  ["*/json", 406],
])("Accept: %s is %d for JSON", async (accept, status) => {
  expect(await ask([], "/x", { Accept: accept })).toMatchObject({ status });
});

test("every pair of a form is validated, even the 1,001st", async () => {
  const schema = {
    type: "object",
    properties: { a: { type: "array", items: { type: "string" } } },
    additionalProperties: false,
  };
  const requestBody = { content: { "application/x-www-form-urlencoded": { schema } } };
  await using server = await serveEcho({ "/x": { post: { operationId: "x", requestBody, responses: anyJson } } });
  const send = async (body: string) => {
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    return fetch(`${server.baseUrl}/x`, { method: "POST", body, headers });
  };
  const whole = (await (await send("a=1&".repeat(1_001))).json()) as { body: { a: string[] } };
  expect(whole.body.a).toHaveLength(1_001);
  expect((await send(`${"a=1&".repeat(1_000)}other=1`)).status).toBe(400);
});

test.each([
  ["1", 200],
  ["1.5", 200],
  ["-0.25", 200],
  ["0", 200],
  ["1e1", 400],
  ["01", 400],
  ["1.", 400],
  [".5", 400],
  ["+1", 400],
  ["0x1", 400],
  ["1,2", 400],
])("a number has plain decimal digits in every parameter: %s is %d", async (digits, status) => {
  const schema = { type: "number" };
  const all = { in: "query", name: "all", explode: false, schema: { type: "array", items: schema } };
  const one = (place: string) => ({ in: place, name: "n", schema });
  const q = encodeURIComponent(digits);
  expect(await ask([query("n", schema)], `/x?n=${q}`)).toMatchObject({ status });
  expect(await ask([one("header")], "/x", { n: digits })).toMatchObject({ status });
  expect(await ask([one("cookie")], "/x", { Cookie: `n=${q}` })).toMatchObject({ status });
  expect(await ask([all], `/x?all=7,${digits.replace(",2", ",x")}`)).toMatchObject({ status });
});

test("HEAD writes no body, because Node can be set to reject one", async () => {
  const paths = { "/x": { get: { operationId: "x", responses: anyJson } } };
  const document = { openapi: "3.1.0", paths };
  const implementation = implement()({ document, handlers: { x: () => ({ status: 200, body: [1] }) } as never });
  const server = createServer({ rejectNonStandardBodyWrites: true }, express().use(implementation));
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { status, headers } = await fetch(`http://127.0.0.1:${port}/x`, { method: "HEAD" });
  expect([status, headers.get("Content-Length")]).toEqual([200, "3"]);
});

test("an error response does not have to be acceptable", async () => {
  const failure = { description: "", content: { "text/html": {} } };
  await using server = await serveEcho({
    "/x": { get: { operationId: "x", responses: { ...anyJson, 404: failure } } },
  });
  expect((await fetch(`${server.baseUrl}/x`, { headers: { Accept: "text/html" } })).status).toBe(406);
});
