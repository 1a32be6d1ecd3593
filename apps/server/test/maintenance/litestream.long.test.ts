import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { randomInt, randomUUID } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import type { Pet } from "@petstore/contract";
import { randomOf } from "@platform/test-support/random";
import { temporaryFolder } from "@platform/test-support/temporary";
import { needsTool } from "@platform/test-support/machine";
import Sqlite from "better-sqlite3";
import { describe, expect, onTestFinished, test, type TestContext } from "vitest";
import { json } from "../petstore.ts";
import { type Program, run, startProgram } from "../program.ts";

/** `pnpm --filter @petstore/server test:litestream` runs 20. */
const ROUNDS = Number(process.env["LITESTREAM_ROUNDS"] ?? 4);
const SEED = Number(process.env["LITESTREAM_SEED"] ?? randomInt(2 ** 31));
const WRITERS = 16;
/** The seconds to which the test restores. */
const SECONDS = Math.max(3, ROUNDS);
/** The earliest and the latest kill in milliseconds after the start of the writers. */
const KILL = [1_000, 5_000] as const;
const CONFIG = readFileSync(join(import.meta.dirname, "../../litestream.yml"), "utf8");
/** The largest loss with `litestream.yml`, in milliseconds. */
const LARGEST_LOSS = 1_000;
/** How late Litestream and the kill may be on a busy machine. */
const GRACE = 500;
const INSTALL = "go install github.com/benbjohnson/litestream/cmd/litestream@v0.5.18";

/** An animal with the times of its request and its response in milliseconds since 1970. */
interface Acknowledged extends Pet {
  start: number;
  end: number;
}

test(
  `${ROUNDS} kills of service and Litestream under ${WRITERS} writers lose at most ${LARGEST_LOSS} ms, and each second is restored`,
  {
    timeout: 300_000 + ROUNDS * 40_000,
  },
  async (context) => {
    skipWithoutLitestream(context);
    const random = randomOf(SEED);
    const place = await placeOf(CONFIG);
    const acknowledged: Acknowledged[] = [];
    const times: [start: number, kill: number][] = [];
    const losses: { ms: number; animals: number }[] = [];

    for (let round = 0; round < ROUNDS; round++) {
      const { program, litestream } = await startBoth(place, 1 + (round % 2)); // one process, then two
      const start = Date.now();
      const wait = KILL[0] + random() * (KILL[1] - KILL[0]);
      const kill = await killUnderLoad({ program, litestream }, wait, acknowledged);
      times.push([start, kill]);
      const restored = await restoreReplica(place, `round-${round}.db`);
      expect(faultsOf(restored, truthOf(place, acknowledged))).toEqual([]);
      losses.push(lossOf(restored, acknowledged, kill));
    }
    const worst = losses.reduce((most, loss) => (loss.ms > most.ms ? loss : most));
    expect(worst.ms).toBeLessThanOrEqual(LARGEST_LOSS + GRACE);

    const seconds: { second: string; behind: number; ahead: number }[] = [];
    for (let index = 0; index < SECONDS; index++) {
      const [start, kill] = times[Math.floor(random() * times.length)]!;
      const earliest = start + LARGEST_LOSS;
      const second = Math.ceil((earliest + random() * (kill - earliest)) / 1_000) * 1_000;
      const restored = await restoreReplica(place, `second-${index}.db`, [
        "-timestamp",
        new Date(second).toISOString(),
      ]);
      expect(faultsOf(restored, truthOf(place, acknowledged))).toEqual([]);
      seconds.push({ second: new Date(second).toISOString(), ...distanceOf(restored, acknowledged, second) });
    }
    console.log({ seed: SEED, kills: ROUNDS, acknowledged: acknowledged.length, torn: 0, worst, losses, seconds });
    for (const { behind, ahead } of seconds) {
      expect(behind).toBeLessThanOrEqual(LARGEST_LOSS + GRACE);
      expect(ahead).toBeLessThanOrEqual(0);
    }
  },
);

test(
  "a database restored from a replica, or from a backup, is replicated again",
  {
    timeout: 300_000,
  },
  async (context) => {
    skipWithoutLitestream(context);
    const place = await placeOf(CONFIG);
    const env = { DATABASE_URL: `file:${place.database}`, BACKUP_FOLDER: join(place.folder, "backups") };
    const acknowledged: Acknowledged[] = [];
    let both = await startBoth(place);
    await killUnderLoad(both, 2_000, acknowledged);

    const replica = await restoreReplica(place, "lost.db");
    rmSync(join(place.folder, "data"), { recursive: true }); // the disk
    expect(await run(["restore", replica, "--force"], env)).toMatchObject({ code: 0, stderr: "" });
    both = await startBoth(place);
    expect((await run(["backup"], env)).code).toBe(0);
    await killUnderLoad(both, 2_000, []);
    expect(petsIn(await restoreReplica(place, "again.db")).length).toBeGreaterThan(petsIn(replica).length);

    both = await startBoth(place);
    expect(await both.program.stop()).toBe(0);
    const newest = ["restore", "--at", new Date().toISOString()];
    expect(await run(newest, env)).toMatchObject({ code: 1, stderr: expect.stringContaining("is in use") });
    const ended = once(both.litestream, "exit");
    both.litestream.kill("SIGTERM");
    await ended;
    expect(await run(newest, env)).toMatchObject({ code: 0, stderr: "" });
    const count = petsIn(place.database).length;
    both = await startBoth(place);
    const later: Acknowledged[] = [];
    const kill = await killUnderLoad(both, 3_000, later);
    const last = await restoreReplica(place, "last.db");
    expect(faultsOf(last, petsIn(place.database))).toEqual([]);
    expect(petsIn(last).length).toBeGreaterThan(count);
    expect(lossOf(last, later, kill).ms).toBeLessThanOrEqual(LARGEST_LOSS + GRACE);
  },
);

describe("this test finds", () => {
  test("a replica that is late", { timeout: 120_000 }, async (context) => {
    skipWithoutLitestream(context);
    const place = await placeOf(CONFIG.replace(/( sync-interval: ).*/, "$15s"));
    const acknowledged: Acknowledged[] = [];
    const kill = await killUnderLoad(await startBoth(place), LARGEST_LOSS + GRACE + 2_000, acknowledged);
    const restored = await restoreReplica(place, "late.db");
    expect(lossOf(restored, acknowledged, kill).ms).toBeGreaterThan(LARGEST_LOSS + GRACE);
  });

  test.each([
    ["a lost row", "delete from pets where id = 2", "is not the start of the database"],
    ["a changed row", "update pets set name = 'x' where id = 2", "is not the start of the database"],
    [
      "half of a transaction",
      "delete from idempotency_keys where key = (select name from pets where id = 3)",
      "has halves of transactions",
    ],
    ["a reference to a missing row", "delete from api_keys", "has references to missing rows"],
  ])("%s", async (_, statement, fault) => {
    const { folder, database } = await placeOf(CONFIG);
    const program = await startProgram(folder, { LOG_LEVEL: "error" });
    for (let count = 0; count < 3; count++) await create(program);
    expect(await program.stop()).toBe(0);
    const truth = petsIn(database);
    expect(faultsOf(database, truth)).toEqual([]);
    const file = new Sqlite(database);
    file.pragma("foreign_keys = off");
    file.exec(statement).close();
    expect(faultsOf(database, truth)).toContainEqual(expect.stringContaining(fault));
  });
});

/** The folder of a service and a replica, with the configuration of Litestream. */
interface Place {
  folder: string;
  database: string;
  config: string;
}

function skipWithoutLitestream(context: TestContext): void {
  const isInstalled = spawnSync("litestream", ["version"]).status === 0;
  needsTool(context, isInstalled ? undefined : `litestream is not installed, which needs Go: ${INSTALL}`);
}

async function placeOf(text: string): Promise<Place> {
  const folder = await temporaryFolder();
  const [database, config] = [join(folder, "data/petstore.db"), join(folder, "litestream.yml")];
  writeFileSync(config, text);
  mkdirSync(join(folder, "restored"));
  return { folder, database, config };
}

/** The variables that the unit or the container sets. */
function environmentOf({ folder, database }: Place): NodeJS.ProcessEnv {
  return { ...process.env, DATABASE_FILE: database, REPLICA_URL: `file://${folder}/replica` };
}

/** Starts Litestream and the service, and waits until Litestream has copied a write. */
async function startBoth(place: Place, processes = 1): Promise<{ program: Program; litestream: ChildProcess }> {
  const { folder, config } = place;
  const env = environmentOf(place);
  const litestream = spawn("litestream", ["replicate", "-config", config], { env, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void litestream.kill("SIGKILL"));
  let output = "";
  for (const stream of [litestream.stdout, litestream.stderr]) stream.on("data", (text: Buffer) => (output += text));
  const program = await startProgram(folder, {
    LOG_LEVEL: "error",
    SQLITE_CHECKPOINTS: "external",
    WEB_CONCURRENCY: String(processes),
  });
  const earlier = copiesIn(folder);
  await create(program);
  await expect.poll(() => copiesIn(folder) !== earlier, { message: output }).toBe(true);
  return { program, litestream };
}

/** Returns the name of the last copy of the log in a replica. */
function copiesIn(folder: string): string | undefined {
  const copies = join(folder, "replica/ltx/0");
  return existsSync(copies) ? readdirSync(copies).toSorted().at(-1) : undefined;
}

/** Adds animals from every writer, and kills both processes after a time. Returns the time of the kill. */
async function killUnderLoad(
  { program, litestream }: { program: Program; litestream: ChildProcess },
  afterMs: number,
  acknowledged: Acknowledged[],
): Promise<number> {
  const write = async (): Promise<void> => {
    for (;;) {
      try {
        acknowledged.push(await create(program));
      } catch (error) {
        if (error instanceof TypeError) return; // fetch throws a TypeError if there is no response
        throw error;
      }
    }
  };
  const done = Promise.all(Array.from({ length: WRITERS }, write));
  await Promise.race([setTimeout(afterMs), done]);
  const ended = once(litestream, "exit");
  const time = Date.now();
  litestream.kill("SIGKILL");
  await Promise.all([program.stop("SIGKILL"), ended, done]);
  return time;
}

async function create({ baseUrl, key }: Program): Promise<Acknowledged> {
  const name = randomUUID();
  const start = Date.now();
  const headers = { Authorization: `Bearer ${key}`, "Idempotency-Key": name };
  const response = await fetch(`${baseUrl}/pets`, json({ name, categoryId: 1 }, headers));
  const body = (await response.json()) as Pet;
  expect({ status: response.status, body }).toMatchObject({ status: 201, body: { name } });
  return { ...body, start, end: Date.now() };
}

/** Restores the replica to a file and returns the path. */
async function restoreReplica(place: Place, name: string, options: string[] = []): Promise<string> {
  const path = join(place.folder, "restored", name);
  const words = ["restore", "-config", place.config, ...options, "-o", path, place.database];
  await promisify(execFile)("litestream", words, { env: environmentOf(place) });
  return path;
}

function read<Result>(path: string, act: (file: Sqlite.Database) => Result): Result {
  const file = new Sqlite(path, { readonly: true, fileMustExist: true });
  try {
    return act(file);
  } finally {
    file.close();
  }
}

function petsIn(path: string): Pet[] {
  const columns = "id, name, category_id as categoryId, status";
  return read(path, (file) => file.prepare(`select ${columns} from pets order by id`).all() as Pet[]);
}

/** Returns the animals of the killed service, in a copy, with every acknowledged one. */
function truthOf({ folder, database }: Place, acknowledged: Acknowledged[]): Pet[] {
  const copy = join(folder, "truth.db");
  for (const suffix of ["", "-wal"]) copyFileSync(database + suffix, copy + suffix);
  rmSync(`${copy}-shm`, { force: true });
  const truth = petsIn(copy);
  const names = new Map(truth.map(({ id, name }) => [id, name]));
  expect(acknowledged.filter(({ id, name }) => names.get(id) !== name)).toEqual([]);
  return truth;
}

/**
 * Returns how a restored database is torn: damaged, or not what the service had committed up to some transaction. Each
 * animal and its response for `Idempotency-Key` are one transaction.
 */
function faultsOf(path: string, truth: Pet[]): string[] {
  const pets = petsIn(path);
  const last = pets.at(-1)?.id ?? 0;
  return read(path, (file) => {
    const first = (statement: string) => file.prepare<[]>(statement).pluck().get();
    const halves = first(`select (select count(*) from pets where name not in (select key from idempotency_keys))
      + (select count(*) from idempotency_keys where key not in (select name from pets))`);
    const isStart = JSON.stringify(pets) === JSON.stringify(truth.filter(({ id }) => id <= last));
    return [
      ...(first("pragma integrity_check") === "ok" ? [] : [`${path} is damaged`]),
      ...(first("pragma foreign_key_check") === undefined ? [] : [`${path} has references to missing rows`]),
      ...(halves === 0 ? [] : [`${path} has halves of transactions`]),
      ...(isStart ? [] : [`${path} is not the start of the database`]),
    ];
  });
}

/** Returns how long before the kill the first lost animal was acknowledged, and the number of lost animals. */
function lossOf(restored: string, acknowledged: Acknowledged[], kill: number): { ms: number; animals: number } {
  const names = new Set(petsIn(restored).map(({ name }) => name));
  const lost = acknowledged.filter(({ name }) => !names.has(name));
  return { ms: Math.max(0, ...lost.map(({ end }) => kill - end)), animals: lost.length };
}

/**
 * Returns how far a restored database is behind a time: how long before it the first missing animal was acknowledged. And
 * how far it is ahead: how long after it the last animal was requested.
 */
function distanceOf(restored: string, acknowledged: Acknowledged[], time: number): { behind: number; ahead: number } {
  const names = new Set(petsIn(restored).map(({ name }) => name));
  const missing = acknowledged.filter(({ name, end }) => end <= time && !names.has(name));
  const present = acknowledged.filter(({ name }) => names.has(name));
  return {
    behind: Math.max(0, ...missing.map(({ end }) => time - end)),
    ahead: Math.max(0, ...present.map(({ start }) => start - time)),
  };
}
