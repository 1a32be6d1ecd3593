import { expect, test } from "vitest";
import { migrate } from "../../src/database/migrations.ts";
import { copyDatabase } from "../../src/maintenance/copy.ts";
import { insertPet, listPets } from "../../src/pets/pets.repository.ts";
import { opened, temporaryUrl } from "../temporary.ts";
import { actingAtInsert, all, writeToEach } from "./during-copy.ts";

const REX = { name: "Rex", categoryId: 1, status: "available" } as const;

test("nobody can write to either file while SQLite is copied to SQLite", async () => {
  const [fromUrl, toUrl] = [await temporaryUrl(), await temporaryUrl()];
  const [from, to] = [opened(fromUrl), opened(toUrl)];
  await migrate(from);
  const pet = await insertPet(from, REX);
  const during: Record<string, string>[] = [];
  const copied = await copyDatabase(
    from,
    actingAtInsert(to, "pets", async () => {
      for (const url of [fromUrl, toUrl]) during.push(await writeToEach(url));
    }),
  );
  expect(during).toEqual([all("SQLITE_BUSY"), all("SQLITE_BUSY")]);
  expect(copied[0]).toMatchObject({ table: "pets", rows: 1 });
  expect(await listPets(to, { limit: 10 })).toEqual([pet]);
  expect(await writeToEach(fromUrl)).toEqual(all("written"));
});
