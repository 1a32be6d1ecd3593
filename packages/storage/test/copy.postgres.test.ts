import { join } from "node:path";
import { temporaryFolder } from "@platform/test-support/temporary";
import { Command } from "commander";
import { sql } from "kysely";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryUrl } from "../src/testing/temporary.ts";
import { DatabaseError } from "../src/database-error.ts";
import { addCopyCommand, copyDatabase } from "../src/maintenance/copy.ts";
import { migrate } from "../src/migrations.ts";
import { isPostgresUrl } from "../src/url.ts";
import { actingAtInsert, all, writeToEach } from "./during-copy.ts";
import { type Database, insertThing, listThings, MIGRATIONS, opened, SCHEMA } from "./things.ts";

const CUP = { name: "cup", size: 1 };

const file = async () => `file:${join(await temporaryFolder(), "petstore.db")}`;

test.each([
  ["SQLite to PostgreSQL", file, temporaryUrl],
  ["PostgreSQL to SQLite", temporaryUrl, file],
  ["PostgreSQL to PostgreSQL", temporaryUrl, temporaryUrl],
])("%s: every row is copied with its id, and new ids continue", async (_title, fromUrl, toUrl) => {
  const [from, to] = [opened(await fromUrl()), opened(await toUrl())];
  await fill(from);
  const copied = await copyDatabase(from, to, SCHEMA);
  expect(copied).toEqual([
    { table: "things", rows: 2_500, checksum: expect.stringMatching(/^[0-9a-f]{64}$/) },
    { table: "api_keys", rows: 1, checksum: expect.any(String) },
    { table: "labels", rows: 3, checksum: expect.any(String) },
  ]);
  expect(await listThings(to)).toEqual(await listThings(from));

  const labels = (db: Database) => db.selectFrom("labels").selectAll().orderBy("created_at").execute();
  expect(await labels(to)).toEqual(await labels(from));
  const [lastOfAll] = await from
    .selectFrom("things")
    .select((select) => select.fn.max("id").as("id"))
    .execute();
  expect((await insertThing(to, CUP)).id).toBe(lastOfAll!.id + 2); // `fill` deleted the row with the highest id
});

test.each([
  ["SQLite to PostgreSQL", file, temporaryUrl],
  ["PostgreSQL to SQLite", temporaryUrl, file],
  ["PostgreSQL to PostgreSQL", temporaryUrl, temporaryUrl],
])(
  "%s: no table of either database is writable during the copy, and all are after it",
  async (_title, fromUrl, toUrl) => {
    const urls = [await fromUrl(), await toUrl()] as const;
    const [from, to] = [opened(urls[0]), opened(urls[1])];
    await migrate(from, MIGRATIONS);
    const thing = await insertThing(from, CUP);
    const refused = urls.map((url) => all(isPostgresUrl(url) ? "55P03" : "SQLITE_BUSY"));
    const during: Record<string, string>[] = [];
    const copied = await copyDatabase(
      from,
      actingAtInsert(to, "things", async () => {
        for (const url of urls) during.push(await writeToEach(url));
      }),
      SCHEMA,
    );
    expect(during).toEqual(refused);
    expect(copied[0]).toMatchObject({ table: "things", rows: 1 });
    expect(await listThings(to)).toEqual([thing]);
    for (const url of urls) expect(await writeToEach(url)).toEqual(all("written"));
  },
);

test("petstore copy copies a PostgreSQL database", async () => {
  const [fromUrl, toUrl] = [await temporaryUrl(), await file()];
  const from = opened(fromUrl);
  await migrate(from, MIGRATIONS);
  const thing = await insertThing(from, CUP);
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  const program = new Command().exitOverride();
  addCopyCommand(program, SCHEMA);
  await program.parseAsync(["copy", "--from", fromUrl, "--to", toUrl], { from: "user" });
  expect(log.mock.calls[0]).toEqual([expect.stringMatching(/^things: 1 rows, checksum /)]);
  expect(await listThings(opened(toUrl))).toEqual([thing]);
});

test("both PostgreSQL databases can be read during a copy", async () => {
  const [fromUrl, toUrl] = [await temporaryUrl(), await temporaryUrl()];
  const [from, to] = [opened(fromUrl), opened(toUrl)];
  await migrate(from, MIGRATIONS);
  const thing = await insertThing(from, CUP);
  const read: unknown[] = [];
  await copyDatabase(
    from,
    actingAtInsert(to, "things", async () => {
      for (const url of [fromUrl, toUrl]) read.push(await listThings(opened(`${url}?lock_timeout=50`)));
    }),
    SCHEMA,
  );
  expect(read).toEqual([[thing], []]);
});

test("a copy may take longer than idle_in_transaction_session_timeout", async () => {
  const [fromUrl, toUrl] = [await temporaryUrl(), await temporaryUrl()];
  const [from, to] = [fromUrl, toUrl].map((url) => opened(`${url}?idle_in_transaction_session_timeout=750`));
  await migrate(from!, MIGRATIONS);
  await insertThing(from!, CUP);
  const waiting = actingAtInsert(
    to!,
    "things",
    async () => void (await sql`select pg_sleep(1.5)`.execute(opened(toUrl))),
  );
  expect((await copyDatabase(from!, waiting, SCHEMA))[0]).toMatchObject({ table: "things", rows: 1 });
});

test("a copy to a database with rows is rejected, and changes nothing", async () => {
  const [from, to] = [opened(await file()), opened(await temporaryUrl())];
  await fill(from);
  await migrate(to, MIGRATIONS);
  await to.insertInto("api_keys").values({ name: "theirs" }).execute();
  await expect(copyDatabase(from, to, SCHEMA)).rejects.toThrow(
    new DatabaseError("The database to copy to already holds rows in api_keys. Copy to an empty one."),
  );
  expect(await listThings(to)).toEqual([]);
});

/** Adds more things than one page, unusual names, and labels that the databases sort differently. */
async function fill(db: Database): Promise<void> {
  await migrate(db, MIGRATIONS);
  await db.insertInto("api_keys").values({ name: "ci" }).execute();
  const things = Array.from({ length: 2_501 }, (_, n) => ({
    name: `'é🐕\\" ${n}`,
    size: n % 2 === 0 ? Number.MAX_SAFE_INTEGER - n : n,
  }));
  for (let at = 0; at < things.length; at += 500)
    await db
      .insertInto("things")
      .values(things.slice(at, at + 500))
      .execute();
  const labels = ["a", "B", "_"].map((label, n) => ({ api_key_id: 1, label, created_at: n }));
  await db.insertInto("labels").values(labels).execute();
  const { id } = await insertThing(db, CUP);
  await db.deleteFrom("things").where("id", "in", [id, 1]).execute();
}
