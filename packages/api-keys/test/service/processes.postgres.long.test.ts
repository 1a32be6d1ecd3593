import type { Thing } from "./things.ts";
import { createApiKey } from "../../src/keys.repository.ts";
import { migrate } from "@platform/storage/migrations";
import { temporaryFolder, temporaryUrl } from "@platform/test-support/temporary";
import { describe, expect, test } from "vitest";
import { MIGRATIONS } from "../tables.ts";
import { creation, type Program, startProgram } from "./start.ts";
import { everyThing, startLoad } from "./load.ts";
import { opened } from "../tables.ts";

describe("two processes on one database", () => {
  test("add one thing for duplicates sent to both at once", async () => {
    const { url, key } = await databaseWithKey();
    const [first, second] = [await startOn(url), await startOn(url)];
    for (let round = 0; round < 10; round++) {
      const init = creation(`Thing ${round}`, { "Idempotency-Key": `round-${round}`, ...key });
      const answers = await Promise.all(
        [first, second, first, second, first, second].map(({ baseUrl }) => fetch(`${baseUrl}/things`, init)),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201));
      expect(answers.filter(({ headers }) => headers.has("Idempotency-Replayed"))).toHaveLength(5);
      const things = (await Promise.all(answers.map((answer) => answer.json()))) as Thing[];
      expect(new Set(things.map(({ id }) => id)).size).toBe(1);
    }
    const stored = await everyThing((path) => fetch(second.baseUrl + path, { headers: key }));
    expect(stored.map(({ name }) => name)).toEqual(Array.from({ length: 10 }, (_, round) => `Thing ${round}`));
  });

  test("lose no acknowledged thing and add none twice if one is killed under load and clients retry at the other", async () => {
    const { url, key } = await databaseWithKey();
    const [doomed, other] = [await startOn(url), await startOn(url)];
    const servers = [doomed, other];
    let turn = 0;
    const load = startLoad(8, ({ headers, ...init }) => {
      const { baseUrl } = servers[turn++ % servers.length]!;
      return fetch(`${baseUrl}/things`, { ...init, headers: { ...(headers as Record<string, string>), ...key } });
    });
    await load.until(150, ({ status }) => status === 201);
    await doomed.stop("SIGKILL");
    await load.until(150, ({ status }) => status === 201);
    const attempts = await load.stop();
    expect(attempts.some(({ status }) => status === undefined)).toBe(true);

    const stored = await everyThing((path) => fetch(other.baseUrl + path, { headers: key }));
    const acknowledged = attempts.flatMap(({ thing }) => (thing === undefined ? [] : [thing]));
    expect(acknowledged.length).toBeGreaterThanOrEqual(300);
    expect(new Set(stored.map(({ name }) => name)).size).toBe(stored.length);
    const storedById = new Map(stored.map((thing) => [thing.id, thing]));
    expect(acknowledged.map(({ id }) => storedById.get(id))).toEqual(acknowledged);
  });
});

async function databaseWithKey(): Promise<{ url: string; key: { Authorization: string } }> {
  const url = await temporaryUrl();
  const db = opened(url);
  await migrate(db, MIGRATIONS);
  const { key } = await createApiKey(db, { name: "test", environment: "production" });
  return { url, key: { Authorization: `Bearer ${key}` } };
}

async function startOn(DATABASE_URL: string): Promise<Program> {
  return startProgram(await temporaryFolder(), { DATABASE_URL, THINGS_ENV: "production" });
}
