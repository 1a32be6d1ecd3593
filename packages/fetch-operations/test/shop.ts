import { createServer, type RequestListener } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express from "express";
import { implement } from "express-operations";
import {
  anyError,
  type Api,
  call,
  type Call,
  type CallOptions,
  type ClientOptions,
  type Connection,
  connectTo,
  type OperationDescription,
  OperationError,
} from "../src/index.ts";
import type { AnyResult } from "./generated-client.ts";
import { apiKey, basic, bearer } from "../src/parts/authentication.ts";

/** A server that responds as the test defines, and calls of it with short waits. */
export interface Shop extends AsyncDisposable {
  baseUrl: string;
  connection: Connection;
  /** The requests received so far, as `GET /a`. */
  requests: string[];
  /** Calls an operation: `read`, with the changes of the test. */
  call: (operation?: Partial<OperationDescription>, input?: object, options?: CallOptions) => Call<AnyResult>;
}

/** Starts a server on a free port, and connects to it. */
export async function shop(
  listener: RequestListener,
  options: Partial<ClientOptions> = {},
  own: Partial<Api> = {},
): Promise<Shop> {
  const requests: string[] = [];
  const server = await serve((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    return listener(request, response);
  });
  const { baseUrl } = server;
  const settings = { baseUrl, retry: { baseDelay: 1 }, onDeprecated: false as const, ...options };
  const connection = connectTo({ ...api, ...own }, settings);
  return { ...server, connection, requests, call: callsOf(connection) };
}

/** Returns a function that calls an operation with the changes of a test. */
export function callsOf(connection: Connection): Shop["call"] {
  return (operation = {}, input = {}, options = {}) => call(connection, { ...read, ...operation }, input, options);
}

/** Responds with a status, a body and a media type. */
export function respond(
  status: number,
  body?: string | Uint8Array,
  type: string | undefined = "application/json",
  headers: Record<string, string | number> = {},
): RequestListener {
  return (_request, response) => {
    response.writeHead(status, { ...(body !== undefined && type && { "Content-Type": type }), ...headers }).end(body);
  };
}

/** Responds with each of the listeners in turn, and repeats the last one. */
export function inTurn(...listeners: RequestListener[]): RequestListener {
  let count = 0;
  return (request, response) => listeners[Math.min(count++, listeners.length - 1)]!(request, response);
}

/** Returns the reason of a promise that rejects. */
export async function rejection(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    (value) => {
      throw new Error(`resolved to ${JSON.stringify(value)}`);
    },
    (reason: Error) => reason,
  );
}

/** Starts a server of forms, which it keeps: method, path, `Authorization`, media type and body. */
export async function serveForms(
  answer: () => string,
): Promise<AsyncDisposable & { baseUrl: string; received: unknown[] }> {
  const received: unknown[] = [];
  const server = await serve((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      const { method, url, headers } = request;
      received.push([method, url, headers.authorization, headers["content-type"], body]);
      respond(200, answer())(request, response);
    });
  });
  return { ...server, received };
}

/** A server on a free port. */
export interface TestServer extends AsyncDisposable {
  baseUrl: string;
}

/** Starts a server. */
export async function serve(listener: RequestListener): Promise<TestServer> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Serves a document by express-operations. Requests that it rejects have its message as their body. */
export async function serveDocument(
  document: object,
  handlers: Record<string, (input: never) => unknown>,
  security: Record<string, (credential: string) => unknown> = {},
): Promise<TestServer> {
  const implementation = implement<Record<string, never>>()({
    document: document as never,
    handlers: handlers as never,
    security: security as never,
    bodyLimit: 1_000_000,
  });
  return serve(express().use(implementation));
}

/** The error of the tests' service. */
export class ShopError extends OperationError {}

/** The shared parts of the tests' contract. */
export const api: Api = {
  name: "Shop",
  version: "1.2.3",
  error: ShopError,
  schemes: { key: bearer(), user: basic(), header: apiKey("header", "X-Key"), query: apiKey("query", "key") },
  security: [],
  requestIdHeader: "X-Request-Id",
  errors: anyError,
};

/** An operation without parameters. */
export const read: OperationDescription = {
  id: "getPet",
  method: "GET",
  path: "/a",
  parameters: {},
  success: [200],
  isRetryable: true,
};
