import { sql } from "kysely";
import { expect, test } from "vitest";
import { findPet, insertPet } from "../../src/pets/pets.repository.ts";
import { temporaryDatabase } from "../temporary.ts";

test("listPets is answered from an index, without sorting", async () => {
  const db = await temporaryDatabase();
  await sql`
    insert into pets (name, category_id, status)
    select 'Rex', n, (array['available', 'pending', 'sold'])[n % 3 + 1] from generate_series(1, 10000) n
  `.execute(db);
  await sql`analyze pets`.execute(db);
  const { rows } = await sql<{ "QUERY PLAN": string }>`
    explain (costs off) select * from pets where status = 'sold' and id > 5 order by id limit 20
  `.execute(db);
  expect(rows.map((row) => row["QUERY PLAN"].trim())).toEqual([
    "Limit",
    expect.stringMatching(/^->  Index Scan using pets_/),
    expect.stringMatching(/^(Index Cond|Filter): /),
    ...rows.slice(3).map(() => expect.stringMatching(/^Filter: /) as string),
  ]);
});

test("an int8 that a number cannot hold exactly is refused, and the connection works on", async () => {
  const db = await temporaryDatabase();
  await sql`alter table pets drop constraint pets_category_id_check`.execute(db);
  const { id } = await insertPet(db, { name: "Rex", categoryId: 1, status: "sold" });
  for (const beyond of ["9007199254740992", "-9007199254740992", "9223372036854775807"]) {
    await sql`update pets set category_id = ${beyond}`.execute(db);
    await expect(findPet(db, id)).rejects.toThrow("beyond ±9007199254740991");
  }
  for (const held of [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
    await sql`update pets set category_id = ${held}`.execute(db);
    expect(await findPet(db, id)).toMatchObject({ categoryId: held });
  }
});
