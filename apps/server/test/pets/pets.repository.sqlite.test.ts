import { sql } from "kysely";
import { expect, test } from "vitest";
import { temporaryDatabase } from "../temporary.ts";

test("listPets is answered from an index, without sorting", async () => {
  const { rows } = await sql<{ detail: string }>`
    explain query plan select * from pets where status = 'sold' and id > 5 order by id limit 20
  `.execute(await temporaryDatabase());
  expect(rows.map((row) => row.detail)).toEqual(["SEARCH pets USING INDEX pets_status_id (status=? AND id>?)"]);
});
