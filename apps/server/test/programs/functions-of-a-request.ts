import { mkdtemp, rm } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApiKey } from "@platform/api-keys/keys.repository";
import { createLogger } from "@platform/service/request-log";
import { openDatabase } from "@platform/storage/database";
import { readConfig } from "../../src/config.ts";
import { prepare } from "../../src/prepare.ts";
import type { Tables } from "../../src/registrations.ts";
import { start, type Tuning } from "../../src/server.ts";

/** The requests of which the last few are compared. */
type Kind = "a new GET" | "a repeated GET" | "a creation";

/**
 * A process that serves as in production and prints, as JSON by file, the functions that run in each of a few requests of one
 * kind: GETs of a pet that was not requested before or of the same pet, or creations with an `Idempotency-Key`. Functions that
 * run now and then, such as the check of a sample of responses, are not in all of them. Its argument is JSON.
 */
const { kind, ...tuning } = JSON.parse(process.argv[2]!) as { kind: Kind } & Tuning;
const folder = await mkdtemp(join(tmpdir(), "petstore-"));
const config = readConfig({ DATABASE_URL: `file:${folder}/petstore.db`, PORT: "0", PETSTORE_ENV: "production" });
await prepare(config);
const db = openDatabase<Tables>(config.databaseUrl);
const { key: apiKey } = await createApiKey(db, { name: "test", environment: "production" });
await db.destroy();
const service = await start(config, createLogger("info", { write: () => {} }), tuning);
const headers = { Authorization: `Bearer ${apiKey}` };

async function create(key: string): Promise<Response> {
  const response = await fetch(`${service.baseUrl}/pets`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json", "Idempotency-Key": key },
    body: JSON.stringify({ name: "Rex", categoryId: 1 }),
  });
  if (response.status !== 201) throw new Error(`The creation was answered with ${response.status}.`);
  return response;
}

async function get(id: number): Promise<Response> {
  const response = await fetch(`${service.baseUrl}/pets/${id}`, { headers });
  if (response.status !== 200) throw new Error(`The GET was answered with ${response.status}.`);
  return response;
}

const ids: number[] = [];
for (let count = 0; count < 20; count++) ids.push(((await (await create(`pet-${count}`)).json()) as { id: number }).id);

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

interface Ran {
  url: string;
  name: string;
  offset: number;
}

async function functionsOf(request: () => Promise<Response>): Promise<Ran[]> {
  await session.post("Profiler.takePreciseCoverage"); // sets the counts to zero
  const response = await request();
  await response.text();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  return result.flatMap(({ url, functions }) =>
    functions.flatMap(({ functionName, ranges: [whole] }) =>
      whole!.count > 0 ? { url, name: functionName || "(without a name)", offset: whole!.startOffset } : [],
    ),
  );
}

const runs: Ran[][] = [];
for (const id of ids) {
  const request = kind === "a creation" ? () => create(`later-${id}`) : () => get(kind === "a new GET" ? id : ids[0]!);
  runs.push(await functionsOf(request));
}
const [last, ...others] = runs.slice(-5).map((run) => new Map(run.map((ran) => [`${ran.url}:${ran.offset}`, ran])));
console.log(JSON.stringify(Array.from(last!, ([key, ran]) => (others.every((run) => run.has(key)) ? ran : [])).flat()));
await service.close();
await rm(folder, { recursive: true });
