import { createHash } from "node:crypto";
import { once } from "node:events";
import { renameSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { temporaryUrl } from "@openapi-operations/storage/testing";
import { temporaryFolder } from "@platform/test-support/temporary";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { ENTRY, type Program, run, startProgram } from "../program.ts";
import { opened } from "../temporary.ts";
import { everyPet, type Results, startLoad } from "./load.ts";
import { buildCommit, buildEdited, lastCommitOfAnotherVersion } from "./versions.ts";

/** `pnpm --filter @petstore/server test:upgrade` rolls 10 times. */
const ROUNDS = Number(process.env["UPGRADE_ROUNDS"] ?? 2);
/** The seed of the pauses between the steps of a roll. */
const SEED = process.env["UPGRADE_SEED"] ?? "1";
const LONGEST_PAUSE_MS = 300;
const RESPONSES_BETWEEN_STEPS = 100;

/** The folder of this version. */
const CURRENT = resolve(ENTRY, "../..");

/** The commit of the other version, by argument or from the history. */
const COMMIT = process.env["UPGRADE_FROM"] ?? lastCommitOfAnotherVersion();

const REGISTRATION = "resources/pets/index.ts";
const REPOSITORY = "resources/pets/pets.repository.ts";

/** Makes a later version with one more migration of the table of animals. */
const laterVersion = (statement: string, servedBy: string, repository: [string, string][]): Promise<string> =>
  buildEdited({
    [REGISTRATION]: [
      ["  handlers:", `  migrations: { "9001_change_pets": { servedBy: ${servedBy}, up: change } },\n  handlers:`],
      [
        "export const pets",
        `const change = async (db: Kysely<any>) => void (await sql\`${statement}\`.execute(db));\nexport const pets`,
      ],
      ["import type", 'import { type Kysely, sql } from "kysely";\nimport type'],
    ],
    [REPOSITORY]: repository,
  });

/** Makes a later version that adds a column, and writes the column. */
const addingVersion = (): Promise<string> =>
  laterVersion("alter table pets add column label text", '"every version"', [
    ["rowOf(NEW_PET, pet)", '{ ...rowOf(NEW_PET, pet), label: "later" }'],
  ]);

/** Makes a later version that removes a column that this version writes, and no longer writes it. */
const removingVersion = (servedBy: string): Promise<string> =>
  laterVersion("alter table pets drop column created_at", servedBy, [[', createdAt: "created_at"', ""]]);

describe(
  `a roll to another version and back, ${ROUNDS} times, seed ${SEED}`,
  { timeout: 300_000 + ROUNDS * 60_000 },
  () => {
    test("of two instances, one after the other, loses no request and no write", async () => {
      const [earlier, later] =
        COMMIT === undefined ? [CURRENT, await addingVersion()] : [await buildCommit(COMMIT), CURRENT];
      const database = await databaseOf(earlier);
      const results = await rollInstances(database, earlier, later);
      await expectKept(database, results);
      if (COMMIT === undefined) await expectBothWrote(database);
      console.log({ other: COMMIT ?? "made for the test", ...figures(results) });
    });

    test("of the processes of one instance, by a link and SIGUSR2, needs no retry and loses no write", async () => {
      const database = await databaseOf(CURRENT);
      const results = await rollProcesses(database, CURRENT, await addingVersion());
      await expectKept(database, results);
      expect(results.retries).toBe(0);
      await expectBothWrote(database);
      console.log(figures(results));
    });
  },
);

describe("a version that removes a column at once", { timeout: 300_000 }, () => {
  test("does not start, and leaves the database as it is, if it says that every version can serve", async () => {
    const database = await databaseOf(CURRENT);
    const { code, stderr } = await run(["migrate"], database.env, entryIn(await removingVersion('"every version"')));
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^The database could not be migrated and is unchanged \(9001_change_pets removes the column pets\.created_at, /,
      ),
    });
  });

  test("fails requests of this version if it says so in another way, which the roll finds", async () => {
    const database = await databaseOf(CURRENT);
    const { failures } = await rollInstances(
      database,
      CURRENT,
      await removingVersion('{ since: "0001_create_tables" }'),
      1,
    );
    expect(new Set(failures)).toEqual(new Set(["POST /pets: 500"]));
  });
});

interface Database {
  url: string;
  key: string;
  env: NodeJS.ProcessEnv;
}

/** Creates a database as a version creates it, with an API key. */
async function databaseOf(version: string): Promise<Database> {
  const url = await temporaryUrl();
  const env = { DATABASE_URL: url, PETSTORE_ENV: "production" };
  const { stdout } = await run(["keys", "create", "--name", "test", "--json"], env, entryIn(version));
  const { key } = JSON.parse(stdout) as { key: string };
  return { url, key, env };
}

const entryIn = (version: string): string => join(version, "bin/service.js");

/** Two instances behind clients that go to each in turn. Each step replaces one, as a platform does. */
async function rollInstances({ env, key }: Database, from: string, to: string, rounds = ROUNDS): Promise<Results> {
  const folder = await temporaryFolder();
  const start = (version: string): Promise<Program> =>
    startProgram(folder, { ...env, LOG_LEVEL: "error" }, entryIn(version));
  const instances = [await start(from), await start(from)];
  const load = startLoad(key, () => instances.map(({ baseUrl }) => baseUrl));
  await roll(rounds, [to, from], async (version) => {
    for (const place of instances.keys()) {
      expect(await instances[place]!.stop()).toBe(0);
      await load.until(RESPONSES_BETWEEN_STEPS);
      instances[place] = await start(version);
      await load.until(RESPONSES_BETWEEN_STEPS);
    }
  });
  return load.stop();
}

/** One instance with two processes, started through a link. Each step leads the link to a version and reloads. */
async function rollProcesses({ env, key }: Database, from: string, to: string): Promise<Results> {
  const folder = await temporaryFolder();
  const link = join(folder, "service");
  const leadTo = (version: string): void => {
    symlinkSync(version, `${link}-new`);
    renameSync(`${link}-new`, link);
  };
  leadTo(from);
  const settings = { ...env, WEB_CONCURRENCY: "2", SHUTDOWN_DELAY: "1" };
  const program = await startProgram(folder, settings, entryIn(link));
  const load = startLoad(key, () => [program.baseUrl]);
  const reloads = (): number => program.output().split('"msg":"reloaded"').length - 1;
  await roll(ROUNDS, [to, from], async (version) => {
    const before = reloads();
    leadTo(version);
    program.child.kill("SIGUSR2");
    while (reloads() === before) await once(program.child.stdout!, "data");
    await load.until(RESPONSES_BETWEEN_STEPS);
  });
  return load.stop();
}

async function roll(rounds: number, versions: string[], replace: (version: string) => Promise<void>): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const [step, version] of versions.entries()) {
      const hash = createHash("sha256").update(`${SEED} ${round} ${step}`).digest();
      await setTimeout((hash.readUInt32BE() / 2 ** 32) * LONGEST_PAUSE_MS);
      await replace(version);
    }
  }
}

/** Expects that no request failed, and that each acknowledged animal is stored once, with its id. */
async function expectKept({ env, key }: Database, { acknowledged, failures }: Results): Promise<void> {
  expect(failures).toEqual([]);
  const program = await startProgram(await temporaryFolder(), env);
  const headers = { Authorization: `Bearer ${key}` };
  const stored = await everyPet((path) => fetch(program.baseUrl + path, { headers }));
  expect(new Set(stored.map(({ name }) => name)).size).toBe(stored.length);
  const byId = new Map(stored.map((pet) => [pet.id, pet]));
  expect(acknowledged.filter(({ id, name }) => byId.get(id)?.name !== name)).toEqual([]);
  expect(await program.stop()).toBe(0);
}

/** Expects rows of the later version, which writes the column `label`, and rows of this version. */
async function expectBothWrote({ url }: Database): Promise<void> {
  const { rows } = await sql<{ later: number; all: number }>`
    select count(label) as later, count(*) as "all" from pets`.execute(opened(url));
  const { later, all } = rows[0]!;
  expect(later).toBeGreaterThan(RESPONSES_BETWEEN_STEPS / 10);
  expect(all - later).toBeGreaterThan(RESPONSES_BETWEEN_STEPS / 10);
}

function figures({ acknowledged, responses, retries }: Results): object {
  return { rolls: ROUNDS, seed: SEED, responses, failed: 0, retries, acknowledged: acknowledged.length, lost: 0 };
}
