import { mkdtemp, rm } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApiKey } from "@openapi-operations/api-keys/keys.repository";
import { createLogger } from "@openapi-operations/service/request-log";
import { openDatabase } from "@openapi-operations/storage/database";
import { readConfig } from "../../src/config.ts";
import type { Tables } from "../../src/registrations.ts";
import { prepare, start, type Tuning } from "../../src/server.ts";
import { entries } from "./record-entries.ts";

/** The requests of which the last few are compared. */
type Kind = "a new GET" | "a new GET with a new key" | "a repeated GET" | "a creation";

/**
 * A process that serves as in production and prints, as JSON, the functions that run in each of a few requests of one kind: GETs
 * of a pet that was not requested before or of the same pet, or creations with an `Idempotency-Key`. Functions that run now and
 * then, such as the check of a sample of responses, are not in all of them. It also prints how often each file was entered, at
 * least. Its argument is JSON.
 */
const { kind, ...tuning } = JSON.parse(process.argv[2]!) as { kind: Kind } & Tuning;
const folder = await mkdtemp(join(tmpdir(), "petstore-"));
const config = readConfig({ DATABASE_URL: `file:${folder}/petstore.db`, PORT: "0", PETSTORE_ENV: "production" });
await prepare(config);
const db = openDatabase<Tables>(config.databaseUrl);
const COUNT = 20;
const newKey = async () => (await createApiKey(db, { name: "test", environment: "production" })).key;
const keys = await Promise.all(Array.from({ length: COUNT }, newKey));
await db.destroy();
const service = await start(config, createLogger("info", { write: () => {} }), tuning);
const headers = { Authorization: `Bearer ${keys[0]}` };

async function create(key: string): Promise<Response> {
  const response = await fetch(`${service.baseUrl}/pets`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json", "Idempotency-Key": key },
    body: JSON.stringify({ name: "Rex", categoryId: 1 }),
  });
  if (response.status !== 201) throw new Error(`The creation was answered with ${response.status}.`);
  return response;
}

async function get(id: number, key = keys[0]): Promise<Response> {
  const response = await fetch(`${service.baseUrl}/pets/${id}`, { headers: { Authorization: `Bearer ${key}` } });
  if (response.status !== 200) throw new Error(`The GET was answered with ${response.status}.`);
  return response;
}

const ids: number[] = [];
for (let count = 0; count < COUNT; count++)
  ids.push(((await (await create(`pet-${count}`)).json()) as { id: number }).id);

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

interface Ran {
  url: string;
  name: string;
  offset: number;
}

async function functionsOf(request: () => Promise<Response>): Promise<{ ran: Ran[]; entered: Map<string, number> }> {
  await session.post("Profiler.takePreciseCoverage"); // sets the counts to zero
  entries.clear();
  const response = await request();
  await response.text();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const ran = result.flatMap(({ url, functions }) =>
    functions.flatMap(({ functionName, ranges: [whole] }) =>
      whole!.count > 0 ? { url, name: functionName || "(without a name)", offset: whole!.startOffset } : [],
    ),
  );
  return { ran, entered: new Map(entries) };
}

const REQUESTS: Record<Kind, (at: number) => Promise<Response>> = {
  "a new GET": (at) => get(ids[at]!),
  "a new GET with a new key": (at) => get(ids[at]!, keys[at]),
  "a repeated GET": () => get(ids[0]!),
  "a creation": (at) => create(`later-${at}`),
};
const runs = [];
for (let at = 0; at < COUNT; at++) runs.push(await functionsOf(() => REQUESTS[kind](at)));
const compared = runs.slice(-5);
const [last, ...others] = compared.map(({ ran }) => new Map(ran.map((each) => [`${each.url}:${each.offset}`, each])));
const ran = [...last!].flatMap(([key, each]) => (others.every((run) => run.has(key)) ? each : []));
const files = [...compared[0]!.entered.keys()];
const entered = files.map((file) => [file, Math.min(...compared.map((run) => run.entered.get(file) ?? 0))]);
console.log(JSON.stringify({ ran, entered }));
await service.close();
await rm(folder, { recursive: true });
