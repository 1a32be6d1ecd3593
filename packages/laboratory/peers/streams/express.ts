import { once } from "node:events";
import { pipeline } from "node:stream/promises";
import busboy from "busboy";
import express, { type Response } from "express";
import { byteStream, eventOf, FEW, items, lineOf, sizeOf } from "./jobs.ts";

/** Express without anything else, except busboy for forms. */
export function listen(path: string, listening: (port: number) => void): void {
  const app = express();
  app.get("/stream", async (_request, response) => {
    response.type("application/octet-stream");
    await pipeline(byteStream(), response);
  });
  app.get("/file", (_request, response) => response.sendFile(path));
  app.get("/events", (_request, response) => sendEvents(response));
  app.get("/first", (_request, response) => sendEvents(response, FEW));
  app.get("/lines", async (_request, response) => {
    response.type("application/jsonl");
    for await (const item of items()) await write(response, lineOf(item));
    response.end();
  });
  app.post("/raw", async (request, response) => response.json({ size: await sizeOf(request) }));
  app.post("/form", (request, response) => {
    let size = 0;
    const parser = busboy({ headers: request.headers });
    parser.on("file", (_field, stream) => stream.on("data", (chunk: Buffer) => (size += chunk.length)));
    parser.on("close", () => response.json({ size }));
    request.pipe(parser);
  });
  const server = app.listen(0, "127.0.0.1", () => listening((server.address() as { port: number }).port));
}

async function sendEvents(response: Response, count?: number): Promise<void> {
  response.type("text/event-stream");
  for await (const item of items(count)) await write(response, eventOf(item));
  response.end();
}

/** Waits for a slow client, but makes no promise for a fast one. */
function write(response: Response, text: string): Promise<unknown> | undefined {
  return response.write(text) ? undefined : once(response, "drain");
}
