import { createApiKey } from "@platform/api-keys/keys.repository";
import { expect, test } from "vitest";
import { json, startService } from "../../testing/service.ts";
import { opened } from "../temporary.ts";

const CI = { name: "ci", environment: "development" } as const;

test("each stored animal has its API key and its time, also in a group commit, and no response shows them", async () => {
  await using service = await startService();
  const db = opened(service.databaseUrl);
  const keys = [await createApiKey(db, CI), await createApiKey(db, CI), await createApiKey(db, CI)];
  const before = Date.now();
  const add = async (name: string, key: string, headers = {}) => {
    const response = await service.request("/pets", { ...json({ name, categoryId: 1 }, headers), key });
    expect(await response.json()).toEqual({ id: expect.any(Number), name, categoryId: 1, status: "available" });
    return response.headers.get("Idempotency-Replayed");
  };
  const names = Array.from({ length: 6 }, (_, at) => `pet ${at}`);
  const requests = names.flatMap((name) => keys.map(({ id, key }) => [`${name} of ${id}`, key] as const));
  await Promise.all(requests.map(([name, key]) => add(name, key)));
  await Promise.all(keys.map(({ id, key }) => add(`repeated of ${id}`, key, { "Idempotency-Key": "shared" })));
  const replayed = keys.map(({ id, key }) => add(`repeated of ${id}`, key, { "Idempotency-Key": "shared" }));
  expect(await Promise.all(replayed)).toEqual(["true", "true", "true"]);

  const rows = await db.selectFrom("pets").selectAll().execute();
  const creators = Object.fromEntries(rows.map(({ name, created_by }) => [name, created_by]));
  const expected = [...requests.map(([name]) => name), ...keys.map(({ id }) => `repeated of ${id}`)];
  expect(rows).toHaveLength(expected.length);
  expect(creators).toEqual(Object.fromEntries(expected.map((name) => [name, Number(name.split(" of ")[1])])));
  for (const { created_at } of rows) {
    expect(created_at).toBeGreaterThanOrEqual(before);
    expect(created_at).toBeLessThanOrEqual(Date.now());
  }
  const listed = (await (await service.request("/pets?limit=100")).json()) as object[];
  expect(listed.map((pet) => Object.keys(pet).join())).toEqual(rows.map(() => "id,name,categoryId,status"));
});
