import { sql } from "kysely";
import { expect, test } from "vitest";
import { temporaryDatabase } from "../temporary.ts";

test("the migrations make every table strict", async () => {
  const db = await temporaryDatabase();
  const { rows } = await sql<{ name: string; strict: number }>`
    select name, strict from pragma_table_list where type = 'table' and name not like 'sqlite_%' and name not like 'kysely_%'
  `.execute(db);
  expect(rows.map((row) => row.name)).toEqual(
    expect.arrayContaining(["api_keys", "audit", "idempotency_keys", "pets"]),
  );
  expect(rows.every((row) => row.strict === 1)).toBe(true);
});
