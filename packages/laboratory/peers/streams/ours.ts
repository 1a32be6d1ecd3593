import express from "express";
import { file, type Handlers, implement } from "express-operations";
import { byteStream, FEW, type Item, items, sizeOf } from "./jobs.ts";

interface Download<MediaType extends string, Body> {
  responses: { 200: { headers: object; content: Record<MediaType, Body> } };
}
interface Upload<MediaType extends string, Body> extends Download<"application/json", { size: number }> {
  requestBody: { content: Record<MediaType, Body> };
}
interface operations {
  stream: Download<"application/octet-stream", string>;
  file: Download<"application/octet-stream", string>;
  events: Download<"text/event-stream", Item>;
  lines: Download<"application/jsonl", Item>;
  first: Download<"text/event-stream", Item>;
  raw: Upload<"application/octet-stream", string>;
  form: Upload<"multipart/form-data", { file: string }>;
}

const ITEM = {
  type: "object",
  required: ["id", "text"],
  properties: { id: { type: "integer" }, text: { type: "string" } },
};
const RECEIVED = { "application/json": { schema: { type: "object", properties: { size: { type: "integer" } } } } };
const FORM = { type: "object", required: ["file"], properties: { file: { type: "string", format: "binary" } } };

const get = (operationId: string, mediaType: string, schema?: object) => {
  return { get: { operationId, responses: { 200: { description: "", content: { [mediaType]: { schema } } } } } };
};
const post = (operationId: string, content: object) => {
  return {
    post: { operationId, requestBody: { content }, responses: { 200: { description: "", content: RECEIVED } } },
  };
};

const document = {
  openapi: "3.1.1",
  info: { title: "Streams", version: "1" },
  paths: {
    "/stream": get("stream", "application/octet-stream"),
    "/file": get("file", "application/octet-stream"),
    "/events": get("events", "text/event-stream", ITEM),
    "/lines": get("lines", "application/jsonl", ITEM),
    "/first": get("first", "text/event-stream", ITEM),
    "/raw": post("raw", { "application/octet-stream": {} }),
    "/form": post("form", { "multipart/form-data": { schema: FORM } }),
  },
};

/** express-operations, with a document that describes the items. */
export function listen(path: string, listening: (port: number) => void): void {
  const limits = { bodyLimit: 2 ** 30, fileLimit: 2 ** 30 };
  const handlers = {
    stream: () => ({ status: 200, body: byteStream() }),
    file: async () => ({ status: 200, body: await file(path) }),
    events: () => ({ status: 200, body: items() }),
    lines: () => ({ status: 200, body: items() }),
    first: () => ({ status: 200, body: items(FEW) }),
    raw: {
      streamsBody: true,
      limits,
      handler: async ({ body }) => ({ status: 200, body: { size: await sizeOf(body) } }),
    },
    form: {
      streamsBody: true,
      limits,
      async handler({ parts }) {
        let size = 0;
        for await (const { stream } of parts) if (stream) size += await sizeOf(stream);
        return { status: 200, body: { size } };
      },
    },
  } satisfies Handlers<operations>;
  const app = express().use(implement<operations>()({ document, handlers }));
  const server = app.listen(0, "127.0.0.1", () => listening((server.address() as { port: number }).port));
}
