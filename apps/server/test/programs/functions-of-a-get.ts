import { mkdtemp, readFile, rm } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "@platform/service/request-log";
import { readConfig } from "../../src/config.ts";
import { prepare } from "../../src/prepare.ts";
import { start, type Tuning } from "../../src/server.ts";

/**
 * A process that serves as in production and prints, as JSON by file, the functions that run in each of a few GETs of a pet
 * that was not requested before, or with `isRepeated` of the same pet. Functions that run now and then, such as the check of
 * a sample of responses, are not in all of them. Its argument is JSON.
 */
const { isRepeated, ...tuning } = JSON.parse(process.argv[2]!) as { isRepeated?: boolean } & Tuning;
const folder = await mkdtemp(join(tmpdir(), "petstore-"));
const config = {
  ...readConfig({ DATABASE_URL: `file:${folder}/petstore.db`, PORT: "0" }),
  quickstartFile: join(folder, "key"),
};
await prepare(config);
const service = await start(
  { ...config, environment: "production" },
  createLogger("info", { write: () => {} }),
  tuning,
);
const headers = { Authorization: `Bearer ${(await readFile(config.quickstartFile, "utf8")).trim()}` };

const json = { ...headers, "Content-Type": "application/json" };
const body = JSON.stringify({ name: "Rex", categoryId: 1 });
const ids: number[] = [];
for (let count = 0; count < 20; count++) {
  const created = await fetch(`${service.baseUrl}/pets`, { method: "POST", headers: json, body });
  ids.push(((await created.json()) as { id: number }).id);
}

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

interface Ran {
  url: string;
  name: string;
  offset: number;
}

async function functionsOfGet(id: number): Promise<Ran[]> {
  await session.post("Profiler.takePreciseCoverage"); // sets the counts to zero
  const response = await fetch(`${service.baseUrl}/pets/${id}`, { headers });
  if (response.status !== 200) throw new Error(`The GET was answered with ${response.status}.`);
  await response.text();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  return result.flatMap(({ url, functions }) =>
    functions.flatMap(({ functionName, ranges: [whole] }) =>
      whole!.count > 0 ? { url, name: functionName || "(without a name)", offset: whole!.startOffset } : [],
    ),
  );
}

const runs: Ran[][] = [];
for (const id of ids) runs.push(await functionsOfGet(isRepeated ? ids[0]! : id));
const [last, ...others] = runs.slice(-5).map((run) => new Map(run.map((ran) => [`${ran.url}:${ran.offset}`, ran])));
console.log(JSON.stringify(Array.from(last!, ([key, ran]) => (others.every((run) => run.has(key)) ? ran : [])).flat()));
await service.close();
await rm(folder, { recursive: true });
