import Sqlite from "better-sqlite3";
import { sql } from "kysely";
import { describe, expect, onTestFinished, test } from "vitest";
import { pathOfFileUrl } from "../src/config.ts";
import { migrate } from "../src/migrations.ts";
import { insertPet, listPets } from "../src/pets/pets.repository.ts";
import { openStorage, type Storage } from "../src/storage.ts";
import { opened, temporaryUrl } from "./temporary.ts";

const REX = { name: "Rex", categoryId: 1, status: "available" } as const;

async function temporaryStorage(): Promise<Storage & { url: string }> {
  const url = await temporaryUrl();
  await migrate(opened(url));
  const storage = openStorage(url);
  onTestFinished(() => storage.destroy());
  return { ...storage, url };
}

describe("write", () => {
  test("commits what arrives together in one transaction", async () => {
    const { write } = await temporaryStorage();
    const transactions = await Promise.all(
      Array.from({ length: 20 }, () =>
        write(async (trx) => {
          await insertPet(trx, REX);
          const { rows } = await sql<{ count: number }>`select count(*) as count from pets`.execute(trx);
          return rows[0]!.count;
        }),
      ),
    );
    expect(transactions).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  test("is answered only when another process sees it", async () => {
    const { write, url } = await temporaryStorage();
    const other = new Sqlite(pathOfFileUrl(url));
    onTestFinished(() => void other.close());
    const visible = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const { id } = await write((trx) => insertPet(trx, REX));
        return other.prepare("select id from pets where id = ?").get(id);
      }),
    );
    expect(visible).toHaveLength(5);
    expect(visible).not.toContain(undefined);
  });

  test("fails alone, keeping nothing, when its work throws", async () => {
    const { write, db } = await temporaryStorage();
    const results = await Promise.allSettled([
      write((trx) => insertPet(trx, { ...REX, name: "first" })),
      write(async (trx) => {
        await insertPet(trx, { ...REX, name: "taken back" });
        throw new Error("no");
      }),
      write((trx) => insertPet(trx, { ...REX, name: "last" })),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect((await listPets(db, { limit: 10 })).map(({ name }) => name)).toEqual(["first", "last"]);
  });

  test("fails for all of a group when it cannot be committed, and works again after", async () => {
    const { write, db } = await temporaryStorage();
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db);
    const limit = (pages: number) =>
      write(async (trx) => void (await sql`pragma max_page_count = ${sql.lit(pages)}`.execute(trx)));
    await limit(rows[0]!.page_count);
    const group = await Promise.allSettled(
      Array.from({ length: 200 }, () => write((trx) => insertPet(trx, { ...REX, name: "x".repeat(255) }))),
    );
    const kept = await listPets(db, { limit: 1000 });
    expect(group.some(({ status }) => status === "rejected")).toBe(true);
    expect(group.flatMap((result) => (result.status === "fulfilled" ? [result.value.id] : []))).toEqual(
      kept.map(({ id }) => id),
    );
    await limit(rows[0]!.page_count + 100);
    await expect(write((trx) => insertPet(trx, REX))).resolves.toMatchObject(REX);
  });
});

test("a read waits neither for a write nor for the lock of another process", async () => {
  const { write, db, url } = await temporaryStorage();
  await write((trx) => insertPet(trx, REX));
  const other = new Sqlite(pathOfFileUrl(url));
  other.exec("begin exclusive");
  const writing = write((trx) => insertPet(trx, REX));
  expect(await listPets(db, { limit: 10 })).toHaveLength(1);
  other.exec("rollback").close();
  await writing;
  expect(await listPets(db, { limit: 10 })).toHaveLength(2);
});
