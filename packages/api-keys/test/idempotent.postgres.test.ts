import { expect, test } from "vitest";
import { idempotent } from "../src/idempotent.ts";
import { createApiKey } from "../src/keys.repository.ts";
import { type Database, temporaryStorage } from "./tables.ts";

test("a duplicate gets 409 while the first request runs, and the stored response once it is done", async () => {
  const storage = await temporaryStorage();
  const { id } = await storage.write((trx) => createApiKey(trx, { name: "one", environment: "development" }));
  const headers = { "Idempotency-Key": "k1" };
  const input = { operationId: "addThing", path: {}, query: {}, headers, caller: { id }, context: storage };
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const add = async (trx: Database) => {
    const thing = await trx.insertInto("things").defaultValues().returning("id").executeTakeFirstOrThrow();
    return { status: 201 as const, body: thing };
  };

  const first = idempotent(input, async (trx) => {
    begin();
    await released;
    return add(trx);
  });
  await begun;
  expect(await idempotent(input, add)).toMatchObject({ status: 409, headers: { "Retry-After": 1 } });
  release();
  expect(await first).toEqual({ status: 201, body: { id: 1 } });
  expect(await idempotent(input, add)).toMatchObject({ status: 201, body: { id: 1 } });
  expect(await storage.db.selectFrom("things").selectAll().execute()).toHaveLength(1);
});
