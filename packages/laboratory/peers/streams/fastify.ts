import { basename, dirname } from "node:path";
import { Readable } from "node:stream";
import multipart from "@fastify/multipart";
import files from "@fastify/static";
import { fastify } from "fastify";
import { byteStream, eventOf, FEW, type Item, items, lineOf, sizeOf } from "./jobs.ts";

const LIMIT = 2 ** 30;

/** Fastify with its own plugins for files and forms. */
export async function listen(path: string, listening: (port: number) => void): Promise<void> {
  const app = fastify({ bodyLimit: LIMIT });
  await app.register(files, { root: dirname(path), serve: false });
  await app.register(multipart, { limits: { fileSize: LIMIT } });
  app.addContentTypeParser("application/octet-stream", (_request, payload, done) => done(null, payload));
  app.get("/stream", (_request, reply) => reply.type("application/octet-stream").send(byteStream()));
  app.get("/file", (_request, reply) => reply.sendFile(basename(path)));
  app.get("/events", (_request, reply) => reply.type("text/event-stream").send(textOf(items(), eventOf)));
  app.get("/first", (_request, reply) => reply.type("text/event-stream").send(textOf(items(FEW), eventOf)));
  app.get("/lines", (_request, reply) => reply.type("application/jsonl").send(textOf(items(), lineOf)));
  app.post("/raw", async ({ body }) => ({ size: await sizeOf(body as Readable) }));
  app.post("/form", async (request) => {
    let size = 0;
    for await (const part of request.parts()) if (part.type === "file") size += await sizeOf(part.file);
    return { size };
  });
  listening(Number(new URL(await app.listen({ port: 0, host: "127.0.0.1" })).port));
}

function textOf(all: AsyncIterable<Item>, write: (item: Item) => string): Readable {
  return Readable.from(
    (async function* () {
      for await (const item of all) yield write(item);
    })(),
  );
}
