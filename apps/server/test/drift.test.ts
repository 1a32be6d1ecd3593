import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { breakAnswers } from "./broken-proxy.ts";
import { record, redocly } from "./redocly.ts";
import { json, startService, type TestService } from "./service.ts";

/** What is read of what `redocly drift` writes. */
interface Drift {
  problems: unknown[];
  totals: Record<"operations" | "parameters" | "responses", { covered: number; total: number }>;
  /** Responses that nothing brought about, as `createPet 409`. */
  missing: string[];
}

let service: TestService;
beforeAll(async () => void (service = await startService()));
afterAll(() => service[Symbol.asyncDispose]());

/** On SQLite a repeat waits for the first answer; the 409 that PostgreSQL may give has a test of its own. */
test("Redocly finds nothing in the service's traffic that is not as the contract has it, and no part unused", async () => {
  const { problems, totals, missing } = await driftOf(new URL(service.baseUrl).origin);
  expect(problems).toEqual([]);
  expect(missing).toEqual(["createPet 409"]);
  expect(totals.operations.covered).toBe(totals.operations.total);
  expect(totals.parameters.covered).toBe(totals.parameters.total);
  expect(totals.responses.covered).toBe(totals.responses.total - 1);
});

test.each([
  ["an id is a text", (body: string) => body.replaceAll(/"id":(\d+)/g, '"id":"$1"')],
  ["a status is none of the contract's", (body: string) => body.replaceAll('"available"', '"lost"')],
  ["an error has no code", (body: string) => body.replaceAll(/"code":"\w+",/g, "")],
])("it does when %s", async (_title, change) => {
  await using broken = await breakAnswers(new URL(service.baseUrl).origin, change);
  expect((await driftOf(broken.origin)).problems).not.toEqual([]);
});

/** Every operation with every parameter, and every response that a request alone brings about. */
async function use(baseUrl: string): Promise<void> {
  const send = async (path: string, init: RequestInit = {}, authorization = `Bearer ${service.key}`) => {
    const headers = new Headers(init.headers);
    headers.set("Authorization", authorization);
    const response = await fetch(baseUrl + path, { ...init, headers, signal: AbortSignal.timeout(10_000) });
    await response.arrayBuffer();
    return response;
  };
  const rex = { name: "Rex", categoryId: 1, status: "available" };
  const once = { "Idempotency-Key": randomUUID() };
  await send("/pets", json(rex, once));
  await send("/pets", json(rex, once));
  await send("/pets", json({ ...rex, name: "Mia" }, once));
  await send("/pets", json({ name: "Mia", categoryId: 2 }));
  await send("/pets", json({}));
  await send("/pets", json(rex), "Bearer none");
  await send("/pets", { method: "POST", body: "Rex" });

  const page = await send("/pets?limit=1&status=available");
  const next = /cursor=([^>&]+)/.exec(page.headers.get("Link")!)![1]!;
  await send(`/pets?cursor=${next}`);
  for (const path of ["/pets", "/pets/1"]) {
    const { headers } = await send(path);
    await send(path, { headers: { "If-None-Match": headers.get("ETag")! } });
    await send(path, {}, "Bearer none");
    await send(path, { headers: { Accept: "text/html" } });
  }
  await send("/pets?limit=0");
  await send("/pets/rex");
  await send("/pets/1000");
}

/** Uses a service through Redocly's proxy, and has what passed compared with the contract. */
async function driftOf(origin: string): Promise<Drift> {
  const folder = await mkdtemp(join(tmpdir(), "drift-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const har = join(folder, "traffic.har");
  const report = join(folder, "report.json");
  const coverage = join(folder, "coverage.json");
  const { pathname } = new URL(service.baseUrl);
  const proxy = await record(origin, har);
  try {
    await use(proxy.origin + pathname);
  } finally {
    await proxy.end();
  }
  const words = ["drift", har, "--api", "openapi/openapi.yaml", "--server", origin + pathname, "--format", "json"];
  await redocly(...words, "--output", report, "--coverage", "--coverage-output", coverage);

  const { problems } = JSON.parse(await readFile(report, "utf8")) as Drift;
  const { totals, operations } = JSON.parse(await readFile(coverage, "utf8")) as Drift & {
    operations: { operationId: string; missing: { kind: string; status: string }[] }[];
  };
  const missing = operations.flatMap(({ operationId, missing: parts }) =>
    parts.filter(({ kind }) => kind === "response").map(({ status }) => `${operationId} ${status}`),
  );
  return { problems, totals, missing };
}
