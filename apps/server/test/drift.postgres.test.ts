import { globSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { document } from "@petstore/contract/document";
import { startBehind } from "@openapi-operations/api-keys/testing";
import { afterAll, expect, test } from "vitest";
import { json, startService } from "./petstore.ts";
import { breakAnswers } from "./broken-proxy.ts";
import { record, redocly } from "./redocly.ts";

/** The fields of the report of `redocly drift` that the tests read. */
interface Drift {
  problems: { target: "request" | "response"; message: string }[];
  totals: Record<"operations" | "parameters" | "responses", { covered: number; total: number }>;
}

/** The fields of a HAR file that the tests read. */
interface Traffic {
  log: { entries: { request: { method: string }; response: { status: number } }[] };
}

const folder = await mkdtemp(join(tmpdir(), "traffic-"));
afterAll(() => rm(folder, { recursive: true }));

/**
 * The tests of the operations run on PostgreSQL only here, through Redocly's proxy. PostgreSQL has one more response:
 * on SQLite, a repeat waits for the first response and never gets 409.
 */
const traffic = join(folder, "tests");
await mkdir(traffic);
let recordings = 0; // not the port: a later service can get it anew, and its recording would replace the earlier one
startBehind((origin) => record(origin, join(traffic, `${(recordings += 1)}.har`)));
const tags = document.tags.map(({ name }) => name.toLowerCase());
for (const file of globSync(["conformance.test.ts", "limits.test.ts", ...tags.map((tag) => `${tag}/*.test.ts`)], {
  cwd: import.meta.dirname,
  exclude: ["**/*.sqlite.test.ts", "**/*.long.test.ts"],
})) {
  await import(pathToFileURL(join(import.meta.dirname, file)).href);
}

test("the tests of the operations cover every operation, parameter and response of the contract, and get no undeclared response", async () => {
  const { problems, totals } = await driftOf(traffic);
  expect(problems.filter(({ target }) => target !== "request")).toEqual([]);
  console.log(totals);
  for (const part of ["operations", "parameters", "responses"] as const) {
    expect(totals[part].covered, part).toBe(totals[part].total);
  }
});

test("the service accepts no request that breaks the contract", async () => {
  const accepted = join(folder, "accepted");
  await mkdir(accepted);
  for (const file of await readdir(traffic)) {
    const { log } = JSON.parse(await readFile(join(traffic, file), "utf8")) as Traffic;
    const isAccepted = ({ request, response }: Traffic["log"]["entries"][number]): boolean =>
      response.status < 400 && !["HEAD", "OPTIONS"].includes(request.method); // which every resource has (RFC 9110)
    const entries = log.entries.filter(isAccepted);
    if (entries.length > 0) await writeFile(join(accepted, file), JSON.stringify({ log: { ...log, entries } }));
  }
  expect((await driftOf(accepted)).problems).toEqual([]);
});

test("redocly drift finds responses that break the contract", async () => {
  startBehind(undefined);
  await using service = await startService();
  const { origin, pathname } = new URL(service.baseUrl);
  await using broken = await breakAnswers(origin, (body) =>
    body
      .replaceAll(/"id":(\d+)/g, '"id":"$1"')
      .replaceAll('"available"', '"lost"')
      .replaceAll(/"code":"\w+",/g, ""),
  );
  const har = join(folder, "broken.har");
  const proxy = await record(broken.origin, har);
  const headers = { Authorization: `Bearer ${service.key}` };
  await fetch(`${proxy.origin}${pathname}/pets`, json({ name: "Rex\u2028Max", categoryId: 1 }, headers));
  await fetch(`${proxy.origin}${pathname}/pets/1000`, { headers });
  await proxy.end();
  const { problems } = await driftOf(har);
  expect(problems.map(({ message }) => message)).toEqual([
    'Response field "id" must be integer.',
    'Response field "status" has a value outside allowed enum values.',
    'Response is missing required field "code".',
  ]);
});

/** Compares recorded traffic with the contract. Returns the problems, and how much of the contract the traffic used. */
async function driftOf(recorded: string): Promise<Drift> {
  const [report, coverage] = ["report", "coverage"].map((name) =>
    join(folder, `${name}-of-${basename(recorded)}.json`),
  );
  const words = ["drift", recorded, "--api", "openapi/openapi.yaml", "--match-mode", "basepath", "--format", "json"];
  await redocly(...words, "--output", report!, "--coverage", "--coverage-output", coverage!);
  const { problems } = JSON.parse(await readFile(report!, "utf8")) as Drift;
  const { totals } = JSON.parse(await readFile(coverage!, "utf8")) as Drift;
  return { problems, totals };
}
