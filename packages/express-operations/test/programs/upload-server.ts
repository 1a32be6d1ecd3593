/** A server that measures uploads and sends large bodies. It reports its port and its memory to the parent process. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import express from "express";
import { implement, type OpenApiDocument } from "../../src/index.ts";
import { measure, type Measured, PATTERN } from "./sample.ts";

const LIMIT = 11 * 1024 ** 3;
const file = { type: "string", format: "binary" };
const download = (operationId: string) => ({
  operationId,
  parameters: [{ name: "size", in: "query", required: true, schema: { type: "integer" } }],
  responses: { 200: { description: "", content: { "application/octet-stream": {} } } },
});
const document = {
  openapi: "3.1.0",
  info: { title: "Large bodies", version: "1" },
  paths: {
    "/generated": { get: download("generated") },
    "/readable": { get: download("readable") },
    "/raw": {
      post: {
        operationId: "raw",
        requestBody: { content: { "application/octet-stream": {} } },
        responses: { 200: { description: "", content: { "application/json": {} } } },
      },
    },
    "/form": {
      post: {
        operationId: "form",
        requestBody: {
          content: { "multipart/form-data": { schema: { type: "object", properties: { file }, required: ["file"] } } },
        },
        responses: { 200: { description: "", content: { "application/json": {} } } },
      },
    },
  },
} as OpenApiDocument;

interface Operations {
  generated: Download;
  readable: Download;
  raw: { requestBody: { content: { "application/octet-stream": string } }; responses: Answer };
  form: { requestBody: { content: { "multipart/form-data": { file: string } } }; responses: Answer };
}
interface Answer {
  200: { content: { "application/json": Measured } };
}
interface Download {
  parameters: { query: { size: number } };
  responses: { 200: { content: { "application/octet-stream": string } } };
}

/** The bytes of a chunk that a server sends. */
const CHUNK = 65_536;

/** Returns a copy of a chunk of the pattern, and undefined at the end of the body. */
function chunkAt(position: number, size: number): Buffer | undefined {
  const from = position % PATTERN.length;
  return position < size ? Buffer.from(PATTERN.subarray(from, from + Math.min(CHUNK, size - position))) : undefined;
}

async function* generated(size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; at += CHUNK) yield chunkAt(at, size)!;
}

/** Returns a readable that reads on demand, like that of a file. */
function readable(size: number): Readable {
  let position = 0;
  return new Readable({
    read() {
      const chunk = chunkAt(position, size);
      position += CHUNK;
      this.push(chunk ?? null);
    },
  });
}

const app = express().use(
  implement<Operations>()({
    document,
    handlers: {
      generated: ({ query }) => ({ status: 200, body: generated(query.size) }),
      readable: ({ query }) => ({ status: 200, body: readable(query.size) }),
      raw: {
        streamsBody: true,
        limits: { bodyLimit: LIMIT },
        handler: async ({ body }) => ({ status: 200, body: await measure(body) }),
      },
      form: {
        streamsBody: true,
        limits: { bodyLimit: LIMIT },
        async handler({ parts }) {
          let measured = { size: 0, sample: 0 };
          for await (const part of parts) if (part.stream) measured = await measure(part.stream);
          return { status: 200, body: measured };
        },
      },
    },
  }),
);
const server = createServer({ requestTimeout: 0 }, app).listen(0, "127.0.0.1", () => {
  process.send!({ port: (server.address() as AddressInfo).port });
});
process.on("message", () => {
  process.send!({ peak: process.resourceUsage().maxRSS * 1_024, heap: process.memoryUsage().heapUsed });
});
