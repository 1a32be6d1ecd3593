import { expect, test } from "vitest";
import { listPets } from "../../src/resources/pets/pets.repository.ts";
import { temporaryDatabase } from "../temporary.ts";
import { planOf } from "./plan.ts";

test.each([
  [{ limit: 20, status: "sold", after: 5 } as const, "SEARCH pets USING INDEX pets_status_id (status=? AND id>?)"],
  [{ limit: 20, after: 5 }, "SEARCH pets USING INTEGER PRIMARY KEY (rowid>?)"],
])("listPets of %o uses an index, without sorting", async (options, step) => {
  const plan = await planOf<{ detail: string }>(await temporaryDatabase(), "explain query plan", (db) =>
    listPets(db, options),
  );
  expect(plan.map(({ detail }) => detail)).toEqual([step]);
});
