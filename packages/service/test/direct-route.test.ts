import { connect } from "node:net";
import { text } from "node:stream/consumers";
import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler } from "express";
import { expect, onTestFinished, test } from "vitest";
import { directRoute } from "../src/service-app.ts";
import type { AppOrListener } from "../src/http/express-messages.ts";
import { listen } from "../src/http/listener.ts";
import { problem } from "../src/problems.ts";

/** Responds with the fields of the request that Express sets. */
const echo: RequestHandler = (request, response, next) => {
  if (request.path === "/nothing") return next();
  if (request.path === "/fails") return next(problem("forbidden"));
  const { method, url, originalUrl, baseUrl, path, query, params, hostname } = request;
  const isComplete = request.res === response && response.req === request && request.app !== undefined;
  response.json({ method, url, originalUrl, baseUrl, path, query, params, hostname, isComplete, ...response.locals });
};
const onError: ErrorRequestHandler = (error: Error, request: Request, response, _next) => {
  const { url, originalUrl, baseUrl } = request;
  response.status(500).json({ message: error.message, url, originalUrl, baseUrl });
};

function createApp(): Express {
  const app = express().disable("x-powered-by").enable("case sensitive routing").enable("strict routing");
  app.use("/v1", echo);
  app.use((_request, _response, next) => next(problem("not_found")));
  app.use(onError);
  return app;
}

test.each([
  ["GET", "/v1/things"],
  ["GET", "/v1/"],
  ["GET", "/v1"],
  ["GET", "/v1?limit=1"],
  ["POST", "/v1/things?limit=1&a=%20#b"],
  ["GET", "/v1//things/../x"],
  ["GET", "//v1/things"],
  ["GET", "/V1/things"],
  ["GET", "/v12/things"],
  ["GET", "/%761/things"],
  ["GET", "http://other.example/v1/things"],
  ["GET", "/v1/%"],
  ["GET", "/v1/fails?why"],
  ["GET", "/v1/nothing"],
  ["OPTIONS", "/v1/things"],
  ["HEAD", "/v1/things"],
])("%s %s gets the same bytes with and without Express's router", async (method, target) => {
  let direct = 0;
  const route = directRoute("/v1", echo, onError);
  const withRoute = Object.assign(createApp(), {
    directRoute: ((request, response) => {
      const isServed = route(request, response);
      if (isServed) direct++;
      return isServed;
    }) satisfies AppOrListener["directRoute"],
  });
  const exchangeWith = async (app: AppOrListener) => {
    const { origin, close } = await listen(app, { host: "127.0.0.1", port: 0 });
    onTestFinished(async () => void (await close()));
    return exchange(Number(new URL(origin).port), `${method} ${target} HTTP/1.1`);
  };
  expect(await exchangeWith(withRoute)).toBe(await exchangeWith(createApp()));
  expect(direct).toBe(/^\/(?:v|%76)1\//.test(target) ? 1 : 0);
});

/** Returns all bytes that a server sends, without the date. */
async function exchange(port: number, line: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(`${line}\r\nHost: a.example\r\nConnection: close\r\n\r\n`);
  return (await text(socket)).replace(/^Date: .*/m, "");
}
