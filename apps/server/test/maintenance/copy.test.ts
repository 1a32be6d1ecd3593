import { copyDatabase } from "@platform/storage/copy";
import { DatabaseError } from "@platform/storage/database-error";
import { migrate } from "@platform/storage/migrations";
import { temporaryUrl } from "@platform/test-support/temporary";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { MIGRATIONS } from "../../src/migrations.ts";
import { insertPet, listPets } from "../../src/resources/pets/pets.repository.ts";
import { opened, SCHEMA } from "../temporary.ts";
import { actingAtInsert, all, writeToEach } from "./during-copy.ts";

const REX = { name: "Rex", categoryId: 1, status: "available" } as const;

test("nobody can write to either file while SQLite is copied to SQLite", async () => {
  const [fromUrl, toUrl] = [await temporaryUrl(), await temporaryUrl()];
  const [from, to] = [opened(fromUrl), opened(toUrl)];
  await migrate(from, MIGRATIONS);
  const pet = await insertPet(from, REX);
  const during: Record<string, string>[] = [];
  const copied = await copyDatabase(
    from,
    actingAtInsert(to, "pets", async () => {
      for (const url of [fromUrl, toUrl]) during.push(await writeToEach(url));
    }),
    SCHEMA,
  );
  expect(during).toEqual([all("SQLITE_BUSY"), all("SQLITE_BUSY")]);
  expect(copied[0]).toMatchObject({ table: "pets", rows: 1 });
  expect(await listPets(to, { limit: 10 })).toEqual([pet]);
  expect(await writeToEach(fromUrl)).toEqual(all("written"));
});

test.each([
  ["another name", "update pets set name = 'Mia' where id = new.id"],
  ["no row", "delete from pets where id = new.id"],
])("a copy that would differ, by %s, is not made", async (_difference, act) => {
  const [from, to] = [opened(await temporaryUrl()), opened(await temporaryUrl())];
  for (const db of [from, to]) await migrate(db, MIGRATIONS);
  await insertPet(from, REX);
  await sql`create trigger spoil after insert on pets begin ${sql.raw(act)}; end`.execute(to);
  await expect(copyDatabase(from, to, SCHEMA)).rejects.toThrow(
    new DatabaseError("The copy of pets differs from it, so nothing is copied."),
  );
  expect(await listPets(to, { limit: 10 })).toEqual([]);
});
