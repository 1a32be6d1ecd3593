import { once } from "node:events";
import { connect } from "node:net";
import express from "express";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { implement } from "../src/index.ts";
import { Problem, createProblem } from "../src/problem.ts";
import { anyJson, serveEcho } from "./echo.ts";
import { listen } from "./listen.ts";

describe("an error response", () => {
  const { stackTraceLimit } = Error;
  beforeEach(() => void (Error.stackTraceLimit = 7));
  afterEach(() => void (Error.stackTraceLimit = stackTraceLimit));

  test("has no stack, and does not change Error.stackTraceLimit", () => {
    expect(createProblem(400, "No.").stack).not.toContain("\n    at ");
    expect(Error.stackTraceLimit).toBe(7);
    expect(new Error("a fault").stack).toContain("\n    at ");
  });

  test("has its status, the code of its status, its message and the given headers only", () => {
    expect(createProblem(405, "No.", { Allow: "GET" })).toMatchObject({
      name: "Problem",
      status: 405,
      code: "method_not_allowed",
      message: "No.",
      headers: { Allow: "GET" },
    });
    expect(new Problem(418, "teapot", "No.").headers).toEqual({});
  });

  test("to a request does not change Error.stackTraceLimit", async () => {
    await using server = await serveEcho({ "/x": { get: { operationId: "x", responses: anyJson } } });
    for (const path of ["/nothing", "/x?other=1"]) await fetch(server.baseUrl + path);
    expect(Error.stackTraceLimit).toBe(7);
  });
});

test("a rejection after the head was sent closes the connection, and does not reach the application's error handler", async () => {
  const errors: unknown[] = [];
  const document = { openapi: "3.1.0", paths: { "/x": { get: { operationId: "x", responses: anyJson } } } };
  const app = express()
    .use((_request, response, next) => {
      response.writeHead(200, { "Content-Length": "10" }).flushHeaders();
      next();
    })
    .use(implement()({ document, handlers: { x: () => ({ status: 200, body: {} }) } as never }))
    .use(((error, _request, response, _next) => {
      errors.push(error);
      response.destroy();
    }) as express.ErrorRequestHandler);
  await using server = await listen(app);
  const { hostname, port } = new URL(server.baseUrl);
  const socket = connect(Number(port), hostname);
  let received = "";
  socket.on("data", (text) => (received += String(text))).on("error", () => {}); // the connection may be reset
  socket.write("GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(socket, "close");
  expect(received).toMatch(/^HTTP\/1.1 200 /);
  expect(received.split("\r\n\r\n")[1]).toBe("");
  expect(errors).toEqual([]);
});

test("each error response contains its status and the code of that status", async () => {
  const requestBody = { required: true, content: { "application/json": {} } };
  const security = [{ bearer: ["read"] }];
  const components = { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } };
  const operation = (operationId: string, more: object) => ({ operationId, responses: anyJson, ...more });
  await using server = await serveEcho(
    {
      "/x": { post: operation("x", { requestBody }) },
      "/mine": { get: operation("mine", { security }), put: operation("write", { security: [{ bearer: ["write"] }] }) },
    },
    { components },
  );
  const ask = async (method: string, path: string, headers: Record<string, string> = {}, body?: string) => {
    const response = await fetch(server.baseUrl + path, { method, headers, ...(body !== undefined && { body }) });
    const { code, status } = (await response.json()) as { code: string; status: number };
    return [response.status, status, code];
  };
  const json = { "Content-Type": "application/json" };
  expect(await ask("POST", "/x", json, "{")).toEqual([400, 400, "invalid_request"]);
  expect(await ask("GET", "/mine")).toEqual([401, 401, "unauthorized"]);
  expect(await ask("PUT", "/mine", { Authorization: "Bearer good" })).toEqual([403, 403, "forbidden"]);
  expect(await ask("GET", "/nothing")).toEqual([404, 404, "not_found"]);
  expect(await ask("PATCH", "/x")).toEqual([405, 405, "method_not_allowed"]);
  expect(await ask("POST", "/x", { ...json, Accept: "text/html" }, "{}")).toEqual([406, 406, "not_acceptable"]);
  expect(await ask("POST", "/x", json, `"${"x".repeat(65_535)}"`)).toEqual([413, 413, "payload_too_large"]);
  expect(await ask("POST", "/x", { "Content-Type": "text/html" }, "x")).toEqual([415, 415, "unsupported_media_type"]);
});
