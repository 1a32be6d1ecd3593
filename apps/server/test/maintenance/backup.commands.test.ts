import { expect, test } from "vitest";
import { report } from "../../src/maintenance/backup.commands.ts";

const FIRST = "b.db is restored. What was there is now a.db.";
const [FROM, TO] = [Date.parse("2030-01-02T03:04:05Z"), Date.parse("2030-01-02T03:05:06Z")];
const NOTHING = { pets: 0, apiKeys: 0, answers: 0, from: FROM, to: TO };

test("petstore restore says in one line that there was nothing before", () => {
  const nothing = { aside: undefined, endedKeys: undefined, loss: undefined };
  expect(report("b.db", nothing)).toEqual(["b.db is restored."]);
});

test.each([
  { endedKeys: undefined, loss: undefined },
  { endedKeys: 1, loss: undefined },
  { endedKeys: undefined, loss: NOTHING },
])("petstore restore says that the old database was not read: %o", (read) => {
  expect(report("b.db", { aside: "a.db", ...read })).toEqual([
    FIRST,
    "It could not be read: see `petstore keys list`, and revoke anew what was revoked since the backup. Ids may be given again.",
  ]);
});

test.each([
  [0, NOTHING, "0 API keys", "Nothing was added since the backup."],
  [
    1,
    { ...NOTHING, pets: 1 },
    "1 API key",
    "Lost, added between 2030-01-02T03:04:05.000Z and 2030-01-02T03:05:06.000Z: 1 animal.",
  ],
  [
    2,
    { ...NOTHING, apiKeys: 1, from: undefined },
    "2 API keys",
    "Lost, added between the start and 2030-01-02T03:05:06.000Z: 1 API key.",
  ],
  [
    0,
    { ...NOTHING, answers: 2, to: undefined },
    "0 API keys",
    "Lost, added between 2030-01-02T03:04:05.000Z and 2030-01-02T03:04:05.000Z: 2 answers kept for Idempotency-Key.",
  ],
])("petstore restore says what was kept and lost: %i, %o", (endedKeys, loss, kept, last) => {
  expect(report("b.db", { aside: "a.db", endedKeys, loss })).toEqual([
    FIRST,
    `Revoked or rotated since the backup, and still so: ${kept}. No id is given twice.`,
    last,
  ]);
});
