import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Thing } from "./things.ts";
import { temporaryFolder } from "@platform/test-support/temporary";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { creation, type Program, startProgram } from "./start.ts";

/** `pnpm --filter @openapi-operations/api-keys test:crash` runs 300. */
const ROUNDS = Number(process.env["CRASH_ROUNDS"] ?? 4);
const WRITERS = 16;
/** The latest kill: after at most so many responses, and up to so many milliseconds later, at any step of the work. */
const LATEST_KILL = { answers: 200, milliseconds: 10 };

test(
  `${ROUNDS} kills by SIGKILL under ${WRITERS} writers lose no acknowledged thing, add none twice, and leave the file intact`,
  { timeout: 180_000 + ROUNDS * 5_000 },
  async () => {
    const folder = await temporaryFolder();
    const env = { LOG_LEVEL: "error" };
    const first = await startProgram(folder, env);
    expect(await first.stop()).toBe(0); // writes the compile cache, which a killed process does not
    const acknowledged: Thing[] = [];
    let [unanswered, repeated]: [string[], number] = [[], 0];

    for (let round = 0; round < ROUNDS; round++) {
      const program = await startProgram(folder, env);
      expectStored(folder, acknowledged);
      acknowledged.push(...(await Promise.all(unanswered.map((name) => create(program, name)))));
      repeated += unanswered.length;
      unanswered = await killUnderLoad(program, acknowledged);
    }
    const last = await startProgram(folder, env);
    const stored = expectStored(folder, acknowledged);
    expect(await last.stop()).toBe(0);

    const known = new Set([...acknowledged.map(({ name }) => name), ...unanswered]);
    expect(stored.filter(({ name }) => !known.has(name))).toEqual([]);
    expect(acknowledged.length - repeated).toBeGreaterThan(ROUNDS * WRITERS);
    console.log({ kills: ROUNDS, acknowledged: acknowledged.length, ofThemRepeated: repeated, lost: 0, twice: 0 });
  },
);

/** Adds things from every writer until the service is killed. Returns the names of the things without a response. */
async function killUnderLoad(program: Program, acknowledged: Thing[]): Promise<string[]> {
  const { promise: loaded, resolve: enough } = Promise.withResolvers<void>();
  let awaited = 1 + Math.floor(Math.random() * LATEST_KILL.answers);
  const write = async (): Promise<string> => {
    for (;;) {
      const name = randomUUID();
      try {
        acknowledged.push(await create(program, name));
        if (--awaited === 0) enough();
      } catch (error) {
        if (!(error instanceof TypeError)) throw error; // fetch throws a TypeError if there is no response
        return name;
      }
    }
  };
  const unanswered = Promise.all(Array.from({ length: WRITERS }, write));
  await Promise.race([loaded, unanswered]);
  await setTimeout(Math.random() * LATEST_KILL.milliseconds);
  await program.stop("SIGKILL");
  return unanswered;
}

async function create({ baseUrl, key }: Program, name: string): Promise<Thing> {
  const headers = { Authorization: `Bearer ${key}`, "Idempotency-Key": name };
  const response = await fetch(`${baseUrl}/things`, creation(name, headers));
  const body = (await response.json()) as Thing;
  expect({ status: response.status, body }).toMatchObject({ status: 201, body: { name } });
  return body;
}

/** Expects an intact file with each of these things once and no name twice. Returns all its things. */
function expectStored(folder: string, acknowledged: Thing[]): Thing[] {
  const file = new Sqlite(join(folder, "data/things.db"), { readonly: true });
  expect(file.pragma("integrity_check", { simple: true })).toBe("ok");
  const stored = file.prepare("select id, name from things").all() as Thing[];
  file.close();
  const byName = new Map(stored.map((thing) => [thing.name, thing]));
  expect(stored).toHaveLength(byName.size);
  expect(acknowledged.filter(({ id, name }) => byName.get(name)?.id !== id)).toEqual([]);
  return stored;
}
