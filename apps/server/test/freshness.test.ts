import { snapshotPerTurn } from "@platform/storage/data-version";
import { openDatabase } from "@platform/storage/database";
import { temporaryFolder } from "@platform/test-support/temporary";
import { describe, expect, test } from "vitest";
import { insertPet, listPets } from "../src/resources/pets/pets.repository.ts";
import { json, startService } from "../testing/service.ts";
import { run, startProgram } from "./program.ts";
import { opened, temporaryStorage } from "./temporary.ts";

const REX = { name: "Rex", categoryId: 1, status: "available" } as const;

describe("a read sees every write that was answered before", () => {
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
    const env = { DATABASE_URL: service.databaseUrl, PETSTORE_ENV: "production" };
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

  test("by a connection that has the file open besides", async () => {
    await using service = await startService();
    const db = openDatabase(service.databaseUrl);
    for (let count = 1; count <= 20; count++) {
      await insertPet(db, REX);
      expect(await (await service.request("/pets?limit=100")).json()).toHaveLength(count);
    }
    await db.destroy();
  });
});

test("requests of one turn see what was committed until the last of them had arrived, and nothing after", async () => {
  const storage = await temporaryStorage();
  await storage.open();
  const other = opened(storage.url);
  await insertPet(other, REX);
  const goOn = snapshotPerTurn(storage);
  const versions: (number | undefined)[] = [];
  const arrive = (then: () => unknown) =>
    new Promise((done) =>
      goOn((version) => {
        versions.push(version);
        done(then());
      }),
    );

  const first = arrive(() => listPets(storage.db, { limit: 10 }));
  await insertPet(other, REX);
  const second = arrive(async () => {
    void insertPet(other, REX);
    return listPets(storage.db, { limit: 10 });
  });
  expect(await first).toHaveLength(2);
  expect(await second).toHaveLength(2);
  expect(versions).toEqual([expect.any(Number), versions[0]]);
  expect(await listPets(storage.db, { limit: 10 })).toHaveLength(3);
});

test("what requests of one turn write at once is committed together, before the event loop turns", async () => {
  const commits: number[] = [];
  const storage = await temporaryStorage((size) => commits.push(size));
  await storage.open();
  const goOn = snapshotPerTurn(storage);
  let hasTurned = false;
  const write = async () => {
    setImmediate(() => (hasTurned = true));
    await Promise.resolve(); // as a body that is there is awaited
    await storage.write((trx) => insertPet(trx, REX));
    return hasTurned;
  };
  const arrive = () => new Promise((done) => goOn(() => done(write())));

  expect(await Promise.all([arrive(), arrive(), arrive()])).toEqual([false, false, false]);
  expect(commits).toEqual([3]);
});

test("a key that the command line revokes fails on the next request", async () => {
  await using service = await startService();
  expect((await service.request("/pets")).status).toBe(200);
  expect((await service.request("/pets")).status).toBe(200);
  const { code } = await run(["keys", "revoke", "1"], { DATABASE_URL: service.databaseUrl });
  expect(code).toBe(0);
  expect((await service.request("/pets")).status).toBe(401);
});

test("If-None-Match gives 304 until something changes", async () => {
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
