import { basename, dirname } from "node:path";
import { Readable } from "node:stream";
import { serve } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { type Context, Hono } from "hono";
import { stream, streamSSE } from "hono/streaming";
import { byteStream, FEW, items, lineOf, sizeOf } from "./jobs.ts";

/** Hono with its helpers for streams. `parseBody` holds a form in memory. */
export function listen(path: string, listening: (port: number) => void): void {
  const app = new Hono();
  app.get("/stream", (context) => context.body(Readable.toWeb(byteStream()) as ReadableStream));
  app.get("/file", serveStatic({ root: dirname(path), rewriteRequestPath: () => `/${basename(path)}` }));
  app.get("/events", (context) => sendEvents(context));
  app.get("/first", (context) => sendEvents(context, FEW));
  app.get("/lines", (context) =>
    stream(context, async (body) => {
      for await (const item of items()) await body.write(lineOf(item));
    }),
  );
  app.post("/raw", async (context) => context.json({ size: await sizeOf(context.req.raw.body!) }));
  app.post("/form", async (context) => {
    const { file } = await context.req.parseBody();
    return context.json({ size: (file as File).size });
  });
  serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => listening(port));
}

function sendEvents(context: Context, count?: number): Response {
  return streamSSE(context, async (body) => {
    for await (const item of items(count)) await body.writeSSE({ data: JSON.stringify(item) });
  });
}
