import { expect, test } from "vitest";
import { withIdempotencyKey } from "../src/idempotency/idempotency.repository.ts";
import { insertThing, listThings, temporaryStorage } from "./things.ts";

const CUP = { name: "cup", size: 1 };

test("a duplicate of a running request is reported as running, and gets the stored response once the request is done", async () => {
  const { write, db } = await temporaryStorage();
  const { id } = await db.insertInto("api_keys").values({ name: "one" }).returning("id").executeTakeFirstOrThrow();
  const request = { apiKeyId: id, key: "k1", requestHash: "h1", now: Date.now() };
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();

  const first = withIdempotencyKey(write, request, async (trx) => {
    begin();
    await released;
    return insertThing(trx, CUP);
  });
  await begun;
  expect(await withIdempotencyKey(write, request, (trx) => insertThing(trx, CUP))).toEqual({ outcome: "running" });
  release();
  const { outcome, ...response } = await first;
  expect(outcome).toBe("done");
  expect(await withIdempotencyKey(write, request, (trx) => insertThing(trx, CUP))).toEqual({
    outcome: "replayed",
    ...response,
  });
  expect(await listThings(db)).toHaveLength(1);
});
