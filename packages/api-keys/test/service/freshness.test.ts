import { openDatabase } from "@openapi-operations/storage/database";
import { temporaryFolder } from "@platform/test-support/temporary";
import { describe, expect, test } from "vitest";
import { insertThing } from "./things.ts";
import { creation, run, startProgram, startService } from "./start.ts";

const REX = { name: "Rex" };

describe("a read sees every write acknowledged before", () => {
  test("by the service itself", async () => {
    await using service = await startService();
    for (let count = 1; count <= 50; count++) {
      await service.add();
      expect(await (await service.request("/things?limit=100")).json()).toHaveLength(count);
      expect((await service.request(`/things/${count}`)).status).toBe(200);
    }
  });

  test("by another service on the same file", async () => {
    await using service = await startService();
    const env = { DATABASE_URL: service.databaseUrl, THINGS_ENV: "staging" };
    const other = await startProgram(await temporaryFolder(), env);
    const headers = { Authorization: `Bearer ${service.key}` };
    for (let count = 1; count <= 20; count++) {
      expect((await service.request(`/things/${count}`)).status).toBe(404);
      const added = await fetch(`${other.baseUrl}/things`, creation("Rex", headers));
      expect(added.status).toBe(201);
      expect(await (await service.request("/things?limit=100")).json()).toHaveLength(count);
      expect(await (await fetch(`${other.baseUrl}/things?limit=100`, { headers })).json()).toHaveLength(count);
    }
  });

  test("by another connection to the file", async () => {
    await using service = await startService();
    const db = openDatabase(service.databaseUrl);
    for (let count = 1; count <= 20; count++) {
      await insertThing(db, REX);
      expect(await (await service.request("/things?limit=100")).json()).toHaveLength(count);
    }
    await db.destroy();
  });
});

test("a key that the command line revokes fails on the next request", async () => {
  await using service = await startService();
  expect((await service.request("/things")).status).toBe(200);
  expect((await service.request("/things")).status).toBe(200);
  const { code } = await run(["keys", "revoke", "1"], { DATABASE_URL: service.databaseUrl });
  expect(code).toBe(0);
  expect((await service.request("/things")).status).toBe(401);
});

test("If-None-Match gives 304 until a thing is added", async () => {
  await using service = await startService();
  await service.add();
  const tag = (await service.request("/things")).headers.get("ETag")!;
  const again = () => service.request("/things", { headers: { "If-None-Match": tag } });
  expect((await again()).status).toBe(304);
  await service.add();
  const changed = await again();
  expect(changed.status).toBe(200);
  expect(changed.headers.get("ETag")).not.toBe(tag);
});
