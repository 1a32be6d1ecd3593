import { createApiKey } from "@platform/api-keys/keys.repository";
import { once } from "@platform/storage/idempotency.repository";
import { expect, test } from "vitest";
import { insertPet, listPets } from "../../src/resources/pets/pets.repository.ts";
import { temporaryStorage } from "../temporary.ts";

const REX = { name: "Rex", categoryId: 1, status: "available" } as const;

test("a duplicate of a request that takes long is told so, and has the answer once that is done", async () => {
  const { write, db } = await temporaryStorage();
  const { id } = await createApiKey(db, { name: "one", environment: "development" });
  const request = { apiKeyId: id, key: "k1", requestHash: "h1", now: Date.now() };
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();

  const first = once(write, request, async (trx) => {
    begin();
    await released;
    return insertPet(trx, REX);
  });
  await begun;
  expect(await once(write, request, (trx) => insertPet(trx, REX))).toEqual({ outcome: "running" });
  release();
  const { outcome, ...answer } = await first;
  expect(outcome).toBe("done");
  expect(await once(write, request, (trx) => insertPet(trx, REX))).toEqual({ outcome: "replayed", ...answer });
  expect(await listPets(db, { limit: 10 })).toHaveLength(1);
});
