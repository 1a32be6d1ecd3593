/** A service with events, JSON lines, a file with ranges and uploads, and a page that shows them: `node server.ts`. */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import express from "express";
import { event, file, type Handlers, implement, textEvent } from "express-operations";
import { measurements, TOKENS, writeReport } from "./content.ts";
import document from "./openapi.json" with { type: "json" };
import type { components, operations } from "./operations.ts";
import { begin, changes } from "./transfers.ts";

/** The types of a handler's context. */
interface Env {
  context: { begin: (operation: string, detail?: string) => { detail: string } };
}

const folder = mkdtempSync(join(tmpdir(), "streams-"));
const report = join(folder, "report.txt");
process.once("exit", () => rmSync(folder, { recursive: true }));
await writeReport(report, 1_200_000); // 65 MB, more than a connection buffers

const handlers: Handlers<operations, Env> = {
  answer: ({ lastEventId, signal, context }) => {
    const transfer = context.begin("answer");
    const sent = Number(lastEventId) || 0; // the id of an event is the number of tokens up to it
    const tokens = async function* () {
      for (const [index, text] of TOKENS.entries()) {
        if (index < sent) continue;
        await delay(60, undefined, { signal });
        yield event({ id: String(index + 1), data: { text } });
        transfer.detail = `${index + 1} of ${TOKENS.length} tokens`;
      }
      yield textEvent("[DONE]");
    };
    return { status: 200, body: tokens() };
  },

  exportMeasurements: ({ query, context }) => {
    const transfer = context.begin("export");
    const rows = async function* () {
      for (const row of measurements(query.rows)) {
        yield row;
        transfer.detail = `${row.id} of ${query.rows} rows`;
      }
    };
    return { status: 200, body: rows() };
  },

  downloadReport: async ({ query, headers, context }) => {
    context.begin("download", headers.Range ?? "whole file");
    return { status: 200, body: await file(report, { name: "report.txt", disposition: query.disposition }) };
  },

  upload: {
    streamsBody: true,
    limits: { bodyLimit: 10 * 1024 ** 3, fileLimit: 10 * 1024 ** 3 },
    async handler({ parts, context }) {
      const transfer = context.begin("upload");
      const received: components["schemas"]["Upload"] = { name: "", size: 0, sha256: "" };
      for await (const part of parts) {
        if (!part.stream) continue;
        const hash = createHash("sha256");
        for await (const chunk of part.stream as AsyncIterable<Buffer>) {
          hash.update(chunk);
          received.size += chunk.length;
          transfer.detail = `${received.size} bytes`;
        }
        received.name = part.name;
        received.sha256 = hash.digest("hex");
      }
      return { status: 200, body: received };
    },
  },

  watchTransfers: ({ signal }) => ({ status: 200, body: changes(signal) }),
};

const shutdown = new AbortController();
const implementation = implement<operations, Env>()({
  document,
  handlers,
  context: (request) => ({ begin: (...transfer) => begin(request, ...transfer) }),
  streams: { shutdown: shutdown.signal },
  checkResponses: { sample: 0.01 },
  onViolation: (violation) => console.error("Violates the document:", violation),
});

const server = express()
  .use("/v1", implementation)
  .use(express.static(join(import.meta.dirname, "page")))
  .listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => console.log("Listening", server.address()));
server.requestTimeout = 60 * 60_000; // for the largest upload

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    shutdown.abort(); // event streams end after their current event
    server.close();
  });
