import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { breakAnswers } from "./broken-proxy.ts";
import { record, redocly } from "./redocly.ts";
import { json, startService, type TestService } from "./service.ts";

/** What is read of what `redocly drift` writes. */
interface Drift {
  problems: unknown[];
  totals: Record<"operations" | "parameters" | "responses", { covered: number; total: number }>;
}

let service: TestService;
beforeAll(async () => void (service = await startService()));
afterAll(() => service[Symbol.asyncDispose]());

/** On PostgreSQL, which has one response more: on SQLite a repeat waits for the first answer, and never gets 409. */
test("Redocly finds nothing in the service's traffic that is not as the contract has it, and no part unused", async () => {
  const { problems, totals } = await driftOf(new URL(service.baseUrl).origin, useWhole);
  expect(problems).toEqual([]);
  console.log(totals);
  for (const part of ["operations", "parameters", "responses"] as const) {
    expect(totals[part].covered, part).toBe(totals[part].total);
  }
});

test.each([
  ["an id is a text", (body: string) => body.replaceAll(/"id":(\d+)/g, '"id":"$1"')],
  ["a status is none of the contract's", (body: string) => body.replaceAll('"available"', '"lost"')],
  ["an error has no code", (body: string) => body.replaceAll(/"code":"\w+",/g, "")],
])("it does when %s", async (_title, change) => {
  await using broken = await breakAnswers(new URL(service.baseUrl).origin, change);
  expect((await driftOf(broken.origin, useAlone)).problems).not.toEqual([]);
});

/** Sends a request whose answer is only recorded. */
type Send = (path: string, init?: RequestInit, authorization?: string) => Promise<Response>;

/** Every operation with every parameter, and every response that a request alone brings about. */
async function useAlone(send: Send): Promise<void> {
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

/** Everything, and two creations of one `Idempotency-Key` at the same time. */
async function useWhole(send: Send): Promise<void> {
  await useAlone(send);
  await slowDown("Tortoise");
  const creation = json({ name: "Tortoise", categoryId: 1 }, { "Idempotency-Key": randomUUID() });
  await Promise.all([send("/pets", creation), send("/pets", creation)]);
}

/** Makes the database take longer over an animal of this name than a repeat of its creation waits. */
async function slowDown(name: string): Promise<void> {
  const client = new Client(service.databaseUrl);
  await client.connect();
  await client.query(`
    create function wait() returns trigger language plpgsql as
      $$ begin perform pg_sleep(3); return new; end $$;
    create trigger slow before insert on pets for each row
      when (new.name = '${name}') execute function wait();`);
  await client.end();
}

/** Uses a service through Redocly's proxy, and has what passed compared with the contract. */
async function driftOf(origin: string, use: (send: Send) => Promise<void>): Promise<Drift> {
  const folder = await mkdtemp(join(tmpdir(), "drift-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const har = join(folder, "traffic.har");
  const report = join(folder, "report.json");
  const coverage = join(folder, "coverage.json");
  const { pathname } = new URL(service.baseUrl);
  const proxy = await record(origin, har);
  try {
    await use(async (path, init = {}, authorization = `Bearer ${service.key}`) => {
      const headers = new Headers(init.headers);
      headers.set("Authorization", authorization);
      const url = proxy.origin + pathname + path;
      const response = await fetch(url, { ...init, headers, signal: AbortSignal.timeout(10_000) });
      await response.arrayBuffer();
      return response;
    });
  } finally {
    await proxy.end();
  }
  const words = ["drift", har, "--api", "openapi/openapi.yaml", "--server", origin + pathname, "--format", "json"];
  await redocly(...words, "--output", report, "--coverage", "--coverage-output", coverage);

  const { problems } = JSON.parse(await readFile(report, "utf8")) as Drift;
  const { totals } = JSON.parse(await readFile(coverage, "utf8")) as Drift;
  return { problems, totals };
}
