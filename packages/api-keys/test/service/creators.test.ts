import { createApiKey } from "../../src/keys.repository.ts";
import { expect, test } from "vitest";
import { creation, startService } from "./start.ts";
import { opened } from "../tables.ts";

const CI = { name: "ci", environment: "development" } as const;

test("each stored thing has its API key and its time, also in a group commit, and no response shows them", async () => {
  await using service = await startService();
  const db = opened(service.databaseUrl);
  const keys = [await createApiKey(db, CI), await createApiKey(db, CI), await createApiKey(db, CI)];
  const before = Date.now();
  const add = async (name: string, key: string, headers = {}) => {
    const response = await service.request("/things", { ...creation(name, headers), key });
    expect(await response.json()).toEqual({ id: expect.any(Number), name });
    return response.headers.get("Idempotency-Replayed");
  };
  const names = Array.from({ length: 6 }, (_, at) => `thing ${at}`);
  const requests = names.flatMap((name) => keys.map(({ id, key }) => [`${name} of ${id}`, key] as const));
  await Promise.all(requests.map(([name, key]) => add(name, key)));
  await Promise.all(keys.map(({ id, key }) => add(`repeated of ${id}`, key, { "Idempotency-Key": "shared" })));
  const replayed = keys.map(({ id, key }) => add(`repeated of ${id}`, key, { "Idempotency-Key": "shared" }));
  expect(await Promise.all(replayed)).toEqual(["true", "true", "true"]);

  const rows = await db.selectFrom("things").selectAll().execute();
  const creators = Object.fromEntries(rows.map(({ name, created_by }) => [name, created_by]));
  const expected = [...requests.map(([name]) => name), ...keys.map(({ id }) => `repeated of ${id}`)];
  expect(rows).toHaveLength(expected.length);
  expect(creators).toEqual(Object.fromEntries(expected.map((name) => [name, Number(name.split(" of ")[1])])));
  for (const { created_at } of rows) {
    expect(created_at).toBeGreaterThanOrEqual(before);
    expect(created_at).toBeLessThanOrEqual(Date.now());
  }
  const listed = (await (await service.request("/things?limit=100")).json()) as object[];
  expect(listed.map((thing) => Object.keys(thing).join())).toEqual(rows.map(() => "id,name"));
});
