import { sql } from "kysely";
import { expect, test } from "vitest";
import { insertThing, opened, temporaryStorage } from "./things.ts";

const CUP = { name: "cup", size: 1 };

test("expectWritable writes no probe after a write has waited too long for another transaction", async () => {
  const storage = await temporaryStorage();
  await storage.write((trx) => insertThing(trx, CUP));
  const probes = async () => (await sql`select xmin from kysely_migration_lock`.execute(storage.db)).rows;
  const before = await probes();
  await opened(storage.url)
    .transaction()
    .execute(async (other) => {
      await other.updateTable("things").set({ size: 2 }).execute();
      await expect(storage.write((trx) => trx.updateTable("things").set({ size: 3 }).execute())).rejects.toThrow(
        "lock timeout",
      );
    });
  await storage.expectWritable();
  expect(await probes()).toEqual(before);
});
