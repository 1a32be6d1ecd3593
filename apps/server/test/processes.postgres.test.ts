import type { Pet } from "@petstore/contract";
import { createApiKey } from "@platform/api-keys/keys.repository";
import { migrate } from "@platform/storage/migrations";
import { temporaryFolder, temporaryUrl } from "@platform/test-support/temporary";
import { describe, expect, test } from "vitest";
import { MIGRATIONS } from "../src/migrations.ts";
import { json } from "../testing/service.ts";
import { everyPet, startLoad } from "./load.ts";
import { type Program, startProgram } from "./program.ts";
import { opened } from "./temporary.ts";

describe("two processes on one database", () => {
  test("add one animal for duplicates sent to both at once", async () => {
    const { url, key } = await databaseWithKey();
    const [first, second] = [await startOn(url), await startOn(url)];
    for (let round = 0; round < 10; round++) {
      const init = json({ name: `Pet ${round}`, categoryId: 1 }, { "Idempotency-Key": `round-${round}`, ...key });
      const answers = await Promise.all(
        [first, second, first, second, first, second].map(({ baseUrl }) => fetch(`${baseUrl}/pets`, init)),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201));
      expect(answers.filter(({ headers }) => headers.has("Idempotency-Replayed"))).toHaveLength(5);
      const pets = (await Promise.all(answers.map((answer) => answer.json()))) as Pet[];
      expect(new Set(pets.map(({ id }) => id)).size).toBe(1);
    }
    const stored = await everyPet((path) => fetch(second.baseUrl + path, { headers: key }));
    expect(stored.map(({ name }) => name)).toEqual(Array.from({ length: 10 }, (_, round) => `Pet ${round}`));
  });

  test("lose no acknowledged animal and add none twice if one is killed under load and clients retry at the other", async () => {
    const { url, key } = await databaseWithKey();
    const [doomed, other] = [await startOn(url), await startOn(url)];
    const servers = [doomed, other];
    let turn = 0;
    const load = startLoad(8, ({ headers, ...init }) => {
      const { baseUrl } = servers[turn++ % servers.length]!;
      return fetch(`${baseUrl}/pets`, { ...init, headers: { ...(headers as Record<string, string>), ...key } });
    });
    await load.until(150, ({ status }) => status === 201);
    await doomed.stop("SIGKILL");
    await load.until(150, ({ status }) => status === 201);
    const attempts = await load.stop();
    expect(attempts.some(({ status }) => status === undefined)).toBe(true);

    const stored = await everyPet((path) => fetch(other.baseUrl + path, { headers: key }));
    const acknowledged = attempts.flatMap(({ pet }) => (pet === undefined ? [] : [pet]));
    expect(acknowledged.length).toBeGreaterThanOrEqual(300);
    expect(new Set(stored.map(({ name }) => name)).size).toBe(stored.length);
    const storedById = new Map(stored.map((pet) => [pet.id, pet]));
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
  return startProgram(await temporaryFolder(), { DATABASE_URL, PETSTORE_ENV: "production" });
}
