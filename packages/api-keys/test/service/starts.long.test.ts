import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { openDatabase } from "@openapi-operations/storage/database";
import { migrate } from "@openapi-operations/storage/migrations";
import { temporaryUrl } from "@openapi-operations/storage/testing";
import { temporaryFolder } from "@platform/test-support/temporary";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Database, MIGRATIONS } from "../tables.ts";
import { insertThing, type Thing } from "./things.ts";
import { pathOf, startProgram, startService } from "./start.ts";

const SERVERS = 8;
/** As separate programs, each of which loads every module. */
const PROGRAMS = 4;
/** `pnpm --filter @openapi-operations/api-keys test:starts` runs 20. */
const TIMES = Number(process.env["STARTS"] ?? 1);

/** The migrations of the first version, and its data. */
const FIRST = Object.fromEntries(Object.entries(MIGRATIONS).slice(0, 4));
const THINGS: Thing[] = [
  { id: 1, name: "cup" },
  { id: 2, name: "Zoë 🐕" },
];

async function firstVersion(): Promise<string> {
  const url = await temporaryUrl();
  await using(url, async (db) => {
    await migrate(db, FIRST);
    for (const { name } of THINGS) await insertThing(db, { name });
  });
  return url;
}

let starters: ChildProcess[];
beforeAll(() => void (starters = Array.from({ length: SERVERS }, () => fork(pathOf("starter")))));
afterAll(() => starters.forEach((starter) => starter.disconnect()));

describe.each([
  { title: "a fresh database", makeDatabase: temporaryUrl, things: [] },
  { title: "a database of the first version, with data", makeDatabase: firstVersion, things: THINGS },
])("on $title", ({ makeDatabase, things }) => {
  test(
    `${SERVERS} servers start at once, ${TIMES} time${TIMES === 1 ? "" : "s"}`,
    { timeout: 180_000 + TIMES * 10_000 },
    async () => {
      for (let time = 0; time < TIMES; time++) {
        const url = await makeDatabase();
        const states = await Promise.all(starters.map((starter) => startOn(starter, url)));
        expect(states).toEqual(Array(SERVERS).fill("ready"));
        await expectMigrated(url, things);
      }
    },
  );
});

test("a server keeps the data after another was killed in the middle of a migration", async () => {
  const url = await firstVersion();
  const killed = fork(pathOf("migrate-halfway"), [url]);
  const exited = once(killed, "exit");
  expect((await once(killed, "message"))[0]).toBe("halfway");
  killed.kill("SIGKILL");
  expect(await exited).toEqual([null, "SIGKILL"]);
  await using service = await startService({ DATABASE_URL: url });
  expect(await (await service.request("/things")).json()).toEqual(THINGS);
  await expectMigrated(url, THINGS);
});

test(`${PROGRAMS} processes start at once on a fresh database`, async () => {
  const folder = await temporaryFolder();
  const env = { DATABASE_URL: await temporaryUrl(), THINGS_ENV: "production" };
  const programs = await Promise.all(Array.from({ length: PROGRAMS }, () => startProgram(folder, env)));
  for (const { baseUrl } of programs) expect((await fetch(new URL("/readyz", baseUrl))).status).toBe(200);
  expect(await Promise.all(programs.map(({ stop }) => stop()))).toEqual(Array(PROGRAMS).fill(0));
});

async function using(url: string, act: (db: Database) => Promise<unknown>): Promise<void> {
  const db = openDatabase(url);
  try {
    await act(db);
  } finally {
    await db.destroy();
  }
}

async function expectMigrated(url: string, things: Thing[]): Promise<void> {
  await using(url, async (db) => {
    expect(await migrate(db, MIGRATIONS)).toEqual([]);
    expect((await db.introspection.getTables()).map(({ name }) => name)).not.toContain("halfway");
    expect(await db.selectFrom("things").select(["id", "name"]).orderBy("id").execute()).toEqual(things);
  });
}

async function startOn(starter: ChildProcess, url: string): Promise<unknown> {
  const answer = once(starter, "message");
  starter.send(url);
  return (await answer)[0];
}
