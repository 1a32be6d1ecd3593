import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Readable } from "node:stream";
import express, { type ErrorRequestHandler, type RequestHandler } from "express";
import { onTestFinished } from "vitest";
import {
  type BodyLimits,
  type FilePart,
  implement,
  type OpenApiDocument,
  type StreamedInput,
  type ValuePart,
} from "../src/index.ts";
import { anyJson } from "./echo.ts";

/** The types of an operation that takes bytes, JSON or any form. */
interface Upload {
  requestBody: {
    content: { "application/octet-stream": string; "application/json": object; "multipart/form-data": object };
  };
  responses: { 200: { content: { "application/json": unknown } } };
}

/** The input of a handler of `POST /upload`. Its parts are untyped. */
export type UploadInput = Pick<StreamedInput<Upload>, "operationId"> & {
  contentType: string;
  body: Readable;
  parts: AsyncIterable<FilePart | ValuePart>;
};

/** A server of `POST /upload`, whose body a handler reads. */
export interface UploadServer {
  server: Server;
  baseUrl: string;
  /** The errors that reached Express's error handling. */
  errors: Error[];
  /** Opens a connection and sends a text. It is closed at the end of the test. */
  open: (text: string) => Socket;
}

/** Serves a form, bytes and JSON at `POST /upload`. Everything is closed at the end of the test. */
export async function serveUpload(
  handler: (input: UploadInput) => unknown,
  {
    form = {},
    encoding = {},
    limits = {},
    shared = {},
    parameters = [],
    isStreamed = true,
    before = [],
  }: {
    form?: object;
    encoding?: object;
    limits?: Partial<BodyLimits>;
    shared?: Partial<BodyLimits>;
    parameters?: object[];
    isStreamed?: boolean;
    /** Middlewares before the implementation. */
    before?: RequestHandler[];
  } = {},
): Promise<UploadServer> {
  const content = {
    "application/octet-stream": {},
    "application/json": { schema: { type: "object" } },
    "multipart/form-data": { schema: form, encoding },
  };
  const upload = { operationId: "upload", parameters, requestBody: { required: true, content }, responses: anyJson };
  const ping = { operationId: "ping", responses: anyJson };
  const document = {
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    paths: { "/upload": { post: upload }, "/ping": { get: ping } },
  } as OpenApiDocument;
  const handlers = {
    upload: isStreamed ? { handler, streamsBody: true, limits } : handler,
    ping: () => ({ status: 200, body: "pong" }),
  };
  const errors: Error[] = [];
  const onError: ErrorRequestHandler = (error: Error, _request, response, _next) => {
    errors.push(error);
    response.status(500).json({ fault: error.message });
  };
  const app = express()
    .use(...before, (_request, _response, next) => next())
    .use(implement()({ document, handlers: handlers as never, ...shared }))
    .use(onError);
  const server = createServer(app).on("checkContinue", app).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return {
    server,
    baseUrl: `http://127.0.0.1:${port}`,
    errors,
    open: (text) => {
      const socket = connect(port, "127.0.0.1").on("error", () => {});
      sockets.push(socket);
      socket.write(text);
      return socket;
    },
  };
}

/** Sends a form or bytes. Returns status and JSON. */
export async function post(
  { baseUrl }: UploadServer,
  body: FormData | string | Uint8Array<ArrayBuffer>,
  contentType?: string,
): Promise<{ status: number; json: unknown }> {
  const headers = contentType === undefined ? {} : { "Content-Type": contentType };
  const response = await fetch(`${baseUrl}/upload`, { method: "POST", body, headers });
  return { status: response.status, json: await response.json() };
}

/** Returns a form of these fields, in their order. */
export function formOf(...fields: [name: string, value: string | Blob, fileName?: string][]): FormData {
  const form = new FormData();
  for (const [name, value, fileName] of fields) {
    if (typeof value === "string") form.append(name, value);
    else form.append(name, value, fileName);
  }
  return form;
}
