import { createHash } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { temporaryUrl } from "../src/testing/temporary.ts";
import { DatabaseError } from "../src/database-error.ts";
import { copyDatabase } from "../src/maintenance/copy.ts";
import { migrate } from "../src/migrations.ts";
import { actingAtInsert, all, writeToEach } from "./during-copy.ts";
import { insertThing, listThings, MIGRATIONS, opened, SCHEMA } from "./things.ts";

const CUP = { name: "cup", size: 1 };

test("a copy from SQLite to SQLite locks both files against writes", async () => {
  const [fromUrl, toUrl] = [await temporaryUrl(), await temporaryUrl()];
  const [from, to] = [opened(fromUrl), opened(toUrl)];
  await migrate(from, MIGRATIONS);
  const thing = await insertThing(from, CUP);
  const during: Record<string, string>[] = [];
  const copied = await copyDatabase(
    from,
    actingAtInsert(to, "things", async () => {
      for (const url of [fromUrl, toUrl]) during.push(await writeToEach(url));
    }),
    SCHEMA,
  );
  expect(during).toEqual([all("SQLITE_BUSY"), all("SQLITE_BUSY")]);
  expect(copied[0]).toMatchObject({ table: "things", rows: 1 });
  expect(await listThings(to)).toEqual([thing]);
  expect(await writeToEach(fromUrl)).toEqual(all("written"));
});

test("a copy reports its rows, a thousand at a time", async () => {
  const [from, to] = [opened(await temporaryUrl()), opened(await temporaryUrl())];
  for (const db of [from, to]) await migrate(db, MIGRATIONS);
  await from
    .insertInto("things")
    .values(Array.from({ length: 1_500 }, () => CUP))
    .execute();
  const reported: unknown[] = [];
  await copyDatabase(from, to, SCHEMA, (task, amount) => reported.push(amount === undefined ? task : [task, amount]));
  const rows = (done: number) => ({ done, total: 1_500, unit: "rows" });
  expect(reported).toEqual([
    "Counting things",
    ["Copying things", rows(0)],
    ["Copying things", rows(1_000)],
    ["Comparing things", rows(0)],
    ["Comparing things", rows(1_000)],
    expect.stringMatching(/^Counting /),
    expect.stringMatching(/^Counting /),
    "Committing the copy",
  ]);
});

test("the checksum of a table is the sum of the SHA-256 of its rows", async () => {
  const [from, to] = [opened(await temporaryUrl()), opened(await temporaryUrl())];
  await migrate(from, MIGRATIONS);
  for (const name of ["cup", "mug"]) await insertThing(from, { ...CUP, name });
  const rows = ['[["id",1],["name","cup"],["size",1]]', '[["id",2],["name","mug"],["size",1]]'];
  const sum = rows.reduce((total, row) => total + BigInt(`0x${createHash("sha256").update(row).digest("hex")}`), 0n);
  const [{ checksum } = { checksum: "" }] = await copyDatabase(from, to, SCHEMA);
  expect(checksum).toBe((sum % 2n ** 256n).toString(16).padStart(64, "0"));
});

test.each([
  ["another name", "update things set name = 'mug' where id = new.id"],
  ["no row", "delete from things where id = new.id"],
])("a copy that differs by %s is rolled back", async (_difference, act) => {
  const [from, to] = [opened(await temporaryUrl()), opened(await temporaryUrl())];
  for (const db of [from, to]) await migrate(db, MIGRATIONS);
  await insertThing(from, CUP);
  await sql`create trigger spoil after insert on things begin ${sql.raw(act)}; end`.execute(to);
  await expect(copyDatabase(from, to, SCHEMA)).rejects.toThrow(
    new DatabaseError("The copy of things differs from it, so nothing is copied."),
  );
  expect(await listThings(to)).toEqual([]);
});
