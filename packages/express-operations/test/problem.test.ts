import { once } from "node:events";
import { connect } from "node:net";
import type { RequestHandler } from "express";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Problem, refuse } from "../src/problem.ts";
import { anyJson, serveEcho } from "./echo.ts";

describe("a refusal", () => {
  const { stackTraceLimit } = Error;
  beforeEach(() => void (Error.stackTraceLimit = 7));
  afterEach(() => void (Error.stackTraceLimit = stackTraceLimit));

  test("has no stack, and leaves the depth of other errors' stacks as it was", () => {
    expect(refuse(400, "No.").stack).not.toContain("\n    at ");
    expect(Error.stackTraceLimit).toBe(7);
    expect(new Error("a fault").stack).toContain("\n    at ");
  });

  test("has its status, the code of that, its message and no headers but those it is given", () => {
    expect(refuse(405, "No.", { Allow: "GET" })).toMatchObject({
      name: "Problem",
      status: 405,
      code: "method_not_allowed",
      message: "No.",
      headers: { Allow: "GET" },
    });
    expect(new Problem(418, "teapot", "No.").headers).toEqual({});
  });

  test("of a request leaves that depth as it was too", async () => {
    await using server = await serveEcho({ "/x": { get: { operationId: "x", responses: anyJson } } });
    for (const path of ["/nothing", "/x?other=1"]) await fetch(server.baseUrl + path);
    expect(Error.stackTraceLimit).toBe(7);
  });
});

test("a refusal after the head was sent ends the connection", async () => {
  const begun: RequestHandler = (_request, response, next) => {
    response.writeHead(200, { "Content-Length": "10" }).flushHeaders();
    next();
  };
  await using server = await serveEcho({ "/x": { get: { operationId: "x", responses: anyJson } } }, {}, begun);
  const { hostname, port } = new URL(server.baseUrl);
  const socket = connect(Number(port), hostname);
  let received = "";
  socket.on("data", (text) => (received += String(text))).on("error", () => {}); // it may be reset
  socket.write("GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(socket, "close");
  expect(received).toMatch(/^HTTP\/1.1 200 /);
  expect(received.split("\r\n\r\n")[1]).toBe("");
});
