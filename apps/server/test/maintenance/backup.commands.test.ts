import { keptApiKeys } from "@platform/api-keys/keys.kept-data";
import { resultOf } from "@platform/storage/backup.commands";
import { expect, test } from "vitest";
import { TABLES } from "../../src/registrations.ts";

const FIRST = "b.db is restored. The replaced file is now a.db.";
const [FROM, TO] = [Date.parse("2030-01-02T03:04:05Z"), Date.parse("2030-01-02T03:05:06Z")];
const NOTHING = { rows: { pets: 0, api_keys: 0, idempotency_keys: 0 }, from: FROM, to: TO };
const OPTIONS = { tables: TABLES, keptData: keptApiKeys };

test("petstore restore prints only one line if there was no database before", () => {
  expect(resultOf("b.db", { aside: undefined, kept: undefined }, OPTIONS)).toEqual(["b.db is restored."]);
});

test("petstore restore prints that the replaced database could not be read", () => {
  expect(resultOf("b.db", { aside: "a.db", kept: undefined }, OPTIONS)).toEqual([
    FIRST,
    "The replaced file could not be read. Run `petstore keys list`, and revoke again the keys that were revoked since the backup. New rows may reuse ids of lost rows.",
  ]);
});

test.each([
  [NOTHING, "Nothing was added since the backup."],
  [
    { ...NOTHING, rows: { pets: 1 } },
    "Lost, added between 2030-01-02T03:04:05.000Z and 2030-01-02T03:05:06.000Z: 1 animal.",
  ],
  [
    { ...NOTHING, rows: { api_keys: 1 }, from: undefined },
    "Lost, added between the start and 2030-01-02T03:05:06.000Z: 1 API key.",
  ],
  [
    { ...NOTHING, rows: { idempotency_keys: 2, pets: 2, audit: 2 }, to: undefined },
    "Lost, added between 2030-01-02T03:04:05.000Z and 2030-01-02T03:04:05.000Z: 2 animals, 2 responses stored for Idempotency-Key.",
  ],
])("petstore restore prints the revoked keys and the lost rows: %o", (loss, last) => {
  const kept = { summary: "All that was revoked stays so.", loss };
  expect(resultOf("b.db", { aside: "a.db", kept }, OPTIONS)).toEqual([
    FIRST,
    "All that was revoked stays so. No id is reused.",
    last,
  ]);
});
