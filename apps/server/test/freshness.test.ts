import { openDatabase } from "@platform/storage/database";
import { temporaryFolder } from "@platform/test-support/temporary";
import { describe, expect, test } from "vitest";
import { insertPet } from "../src/resources/pets/pets.repository.ts";
import { json, startService } from "../testing/service.ts";
import { run, startProgram } from "./program.ts";

const REX = { name: "Rex", categoryId: 1, status: "available" } as const;

describe("a read sees every write acknowledged before", () => {
  test("by the service itself", async () => {
    await using service = await startService();
    for (let count = 1; count <= 50; count++) {
      await service.addPet();
      expect(await (await service.request("/pets?limit=100")).json()).toHaveLength(count);
      expect((await service.request(`/pets/${count}`)).status).toBe(200);
    }
  });

  test("by another service on the same file", async () => {
    await using service = await startService();
    const env = { DATABASE_URL: service.databaseUrl, PETSTORE_ENV: "staging" };
    const other = await startProgram(await temporaryFolder(), env);
    const headers = { Authorization: `Bearer ${service.key}` };
    for (let count = 1; count <= 20; count++) {
      expect((await service.request(`/pets/${count}`)).status).toBe(404);
      const added = await fetch(`${other.baseUrl}/pets`, json(REX, headers));
      expect(added.status).toBe(201);
      expect(await (await service.request("/pets?limit=100")).json()).toHaveLength(count);
      expect(await (await fetch(`${other.baseUrl}/pets?limit=100`, { headers })).json()).toHaveLength(count);
    }
  });

  test("by another connection to the file", async () => {
    await using service = await startService();
    const db = openDatabase(service.databaseUrl);
    for (let count = 1; count <= 20; count++) {
      await insertPet(db, REX);
      expect(await (await service.request("/pets?limit=100")).json()).toHaveLength(count);
    }
    await db.destroy();
  });
});

test("a key that the command line revokes fails on the next request", async () => {
  await using service = await startService();
  expect((await service.request("/pets")).status).toBe(200);
  expect((await service.request("/pets")).status).toBe(200);
  const { code } = await run(["keys", "revoke", "1"], { DATABASE_URL: service.databaseUrl });
  expect(code).toBe(0);
  expect((await service.request("/pets")).status).toBe(401);
});

test("If-None-Match gives 304 until an animal is added", async () => {
  await using service = await startService();
  await service.addPet();
  const tag = (await service.request("/pets")).headers.get("ETag")!;
  const again = () => service.request("/pets", { headers: { "If-None-Match": tag } });
  expect((await again()).status).toBe(304);
  await service.addPet();
  const changed = await again();
  expect(changed.status).toBe(200);
  expect(changed.headers.get("ETag")).not.toBe(tag);
});
