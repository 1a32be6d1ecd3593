/** A server that counts the bytes of an upload. It reports its port and its memory to the parent process. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import express from "express";
import { implement, type OpenApiDocument, streamedBody } from "../../src/index.ts";
import { sampleOf, STEP } from "./sample.ts";

const LIMIT = 11 * 1024 ** 3;
const file = { type: "string", format: "binary" };
const document = {
  openapi: "3.1.0",
  info: { title: "Uploads", version: "1" },
  paths: {
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

interface Uploads {
  raw: { requestBody: { content: { "application/octet-stream": string } }; responses: Answer };
  form: { requestBody: { content: { "multipart/form-data": { file: string } } }; responses: Answer };
}
interface Answer {
  200: { content: { "application/json": Measured } };
}
interface Measured {
  size: number;
  sample: number;
}

/** Returns the number of bytes, and a checksum of every so many bytes. */
async function measure(stream: Readable): Promise<Measured> {
  let size = 0;
  let sample = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const first = (STEP - (size % STEP)) % STEP;
    for (let at = first; at < chunk.length; at += STEP) sample = sampleOf(sample, size + at, chunk[at]!);
    size += chunk.length;
  }
  return { size, sample };
}

const app = express().use(
  implement<Uploads>()({
    document,
    handlers: {
      raw: streamedBody(async ({ body }) => ({ status: 200, body: await measure(body) }), { bodyLimit: LIMIT }),
      form: streamedBody(
        async ({ parts }) => {
          let measured = { size: 0, sample: 0 };
          for await (const part of parts) if (part.stream) measured = await measure(part.stream);
          return { status: 200, body: measured };
        },
        { bodyLimit: LIMIT },
      ),
    },
  }),
);
const server = createServer({ requestTimeout: 0 }, app).listen(0, "127.0.0.1", () => {
  process.send!({ port: (server.address() as AddressInfo).port });
});
process.on("message", () => {
  process.send!({ peak: process.resourceUsage().maxRSS * 1_024, heap: process.memoryUsage().heapUsed });
});
