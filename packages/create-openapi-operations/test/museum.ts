import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative, resolve } from "node:path";
import { cloneEnvironment } from "@platform/test-support/clone";
import { pnpmPath } from "@platform/test-support/pnpm";
import { expect } from "vitest";

const event = { $ref: "#/components/schemas/Event" };
const json = (schema: object) => ({ "application/json": { schema } });
const errors = {
  400: { description: "Invalid.", content: json({ $ref: "#/components/schemas/Error" }) },
  default: { description: "Failed.", content: json({ $ref: "#/components/schemas/Error" }) },
};
const operation = (
  operationId: string,
  tag: string,
  status: number,
  content: object | undefined,
  more: object = {},
) => ({
  operationId,
  tags: [tag],
  security: [{ key: [] }, { login: ["museum"] }],
  responses: { [status]: { description: "Done.", ...(content && { content }) }, ...errors },
  ...more,
});
const eventId = { name: "eventId", in: "path", required: true, schema: { type: "integer" }, example: 1 };
const sent = { requestBody: { required: true, content: json({ $ref: "#/components/schemas/NewEvent" }) } };

/** A contract of ten operations, with API keys, OAuth 2, an upload, a stream, a cookie and a webhook. */
const MUSEUM = {
  openapi: "3.1.1",
  info: { title: "Museum", version: "1.0.0" },
  servers: [{ url: "https://museum.example/api/v1" }],
  "x-topics": [{ content: { $ref: "./missing.md" } }],
  paths: {
    "/events": {
      get: operation("listEvents", "Special events", 200, json({ type: "array", items: event }), {
        parameters: [{ name: "named", in: "query", schema: { type: "string" } }],
      }),
      post: operation("createEvent", "Special events", 201, json(event), sent),
    },
    "/events/{eventId}": {
      parameters: [eventId],
      get: operation("getEvent", "Special events", 200, json(event)),
      put: operation("updateEvent", "Special events", 200, json(event), sent),
      delete: operation("deleteEvent", "Special events", 204, undefined),
    },
    "/events/{eventId}/poster": {
      parameters: [eventId],
      put: operation("uploadPoster", "Special events", 204, undefined, {
        requestBody: {
          content: {
            "multipart/form-data": {
              schema: { type: "object", properties: { poster: { type: "string", format: "binary" } } },
            },
          },
        },
      }),
    },
    "/tickets": { post: operation("buyTicket", "Tickets", 201, json({ type: "object" }), sent) },
    "/tickets/stream": {
      get: operation("watchTickets", "Tickets", 200, { "text/event-stream": { schema: { type: "string" } } }),
    },
    "/hours": {
      get: operation("getHours", "Hours", 200, json({ type: "object" }), {
        security: [],
        parameters: [{ name: "visit", in: "cookie", schema: { type: "string" } }],
      }),
    },
    "/hours/today": {
      get: operation("getHoursToday", "Hours", 200, json({ type: "string" }), { security: [{ session: [] }] }),
    },
  },
  webhooks: { sold: { post: { operationId: "sold", responses: { 204: { description: "Received." } } } } },
  components: {
    securitySchemes: {
      key: { type: "apiKey", in: "header", name: "X-Key" },
      session: { type: "apiKey", in: "cookie", name: "session" },
      login: {
        type: "oauth2",
        flows: { clientCredentials: { tokenUrl: "https://login.example/token", scopes: { museum: "All." } } },
      },
    },
    schemas: {
      NewEvent: {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string" } },
        examples: [{ name: "Opening" }],
      },
      Event: {
        type: "object",
        required: ["id", "name"],
        properties: { id: { type: "integer" }, name: { type: "string" } },
      },
      Error: {
        type: "object",
        required: ["code", "message"],
        properties: { code: { type: "string" }, message: { type: "string" } },
      },
    },
  },
};

/** A folder in which services are created. Disposing removes it. */
export interface Workshop extends Disposable {
  folder: string;
  /** The contract of the museum. */
  contract: string;
  /** Runs `create-service` in the folder, without a terminal. Returns what it prints. */
  create: (...words: string[]) => string;
  /** Runs a program in a folder below. Expects it to succeed, and returns what it prints. */
  run: (cwd: string, command: string, ...words: string[]) => string;
  env: NodeJS.ProcessEnv;
}

export function openWorkshop(): Workshop {
  const folder = mkdtempSync(join(tmpdir(), "workshop-"));
  const contract = join(folder, "museum.json");
  writeFileSync(contract, JSON.stringify(MUSEUM));
  const own = cloneEnvironment();
  const identity = {
    GIT_AUTHOR_NAME: "test",
    GIT_AUTHOR_EMAIL: "test@localhost",
    GIT_COMMITTER_NAME: "test",
    GIT_COMMITTER_EMAIL: "test@localhost",
  };
  const { CI: _, TURBO_CACHE_DIR: __, ...environment } = own;
  const env = {
    ...environment,
    ...identity,
    PATH: [dirname(pnpmPath()), environment["PATH"]].join(delimiter),
    DO_NOT_TRACK: "1",
  };
  const run = (cwd: string, command: string, ...words: string[]) => {
    const options = { cwd: resolve(folder, cwd), env, encoding: "utf8", maxBuffer: 2 ** 28 } as const;
    const { status, stdout, stderr } = spawnSync(command, words, options);
    expect(status, `${command} ${words.join(" ")}: ${(stdout + stderr).slice(-10_000)}`).toBe(0);
    return stdout + stderr;
  };
  const main = resolve(import.meta.dirname, "../src/main.ts");
  const vendor = resolve(import.meta.dirname, "../node_modules/.cache/vendor");
  rmSync(vendor, { recursive: true, force: true }); // packed anew, since the packages may have changed
  return {
    folder,
    contract,
    env,
    run,
    create: (...words) => run(".", process.execPath, main, ...words, "--vendor", relative(folder, vendor)),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
