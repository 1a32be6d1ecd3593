/** A server that counts the bytes of an upload. It reports its port and its memory to the parent process. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import express from "express";
import { implement, type OpenApiDocument, streamedBody } from "../../src/index.ts";

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
  200: { content: { "application/json": { size: number; sum: number } } };
}

/** Returns the number of bytes, and the sum of the first byte of each chunk's last 64 KiB boundary. */
async function measure(stream: Readable): Promise<{ size: number; sum: number }> {
  let size = 0;
  let sum = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    for (let at = (STEP - (size % STEP)) % STEP; at < chunk.length; at += STEP) sum += chunk[at]!;
    size += chunk.length;
  }
  return { size, sum };
}
const STEP = 4_099;

const app = express().use(
  implement<Uploads>()({
    document,
    handlers: {
      raw: streamedBody(async ({ body }) => ({ status: 200, body: await measure(body) }), { bodyLimit: LIMIT }),
      form: streamedBody(
        async ({ parts }) => {
          let measured = { size: 0, sum: 0 };
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
process.on("message", () => process.send!({ peak: process.resourceUsage().maxRSS * 1024, cpu: process.cpuUsage() }));
