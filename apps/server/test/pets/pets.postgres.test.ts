import { idempotent } from "@openapi-operations/api-keys/idempotent";
import { listApiKeys } from "@openapi-operations/api-keys/keys.repository";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { findPet, insertPet, listPets } from "../../src/resources/pets/pets.repository.ts";
import { expectError, json, startService } from "../petstore.ts";
import { creation, opened, temporaryDatabase } from "../temporary.ts";
import { planOf } from "./plan.ts";

describe("createPet", () => {
  test("createPet returns 409 with Retry-After while the first request with its Idempotency-Key runs, and 201 after that request failed", async () => {
    await using service = await startService();
    const db = opened(service.databaseUrl);
    const [apiKey] = await listApiKeys(db);
    const post = () => service.request("/pets", json({ name: "Rex", categoryId: 1 }, { "Idempotency-Key": "slow" }));

    const first = idempotent(creation(db, apiKey!.id, "slow"), async (trx) => {
      await insertPet(trx, { name: "Rex", categoryId: 1, status: "available" });
      const response = await post();
      expect(response.headers.get("Retry-After")).toBe("1");
      await expectError(response, 409, "idempotency_in_progress");
      throw new Error("the first one fails");
    });
    await expect(first).rejects.toThrow("the first one fails");
    expect((await post()).status).toBe(201);
    expect(await (await service.request("/pets")).json()).toHaveLength(1);
  });
});

describe("the repository of animals", () => {
  test.each([
    [{ limit: 20, status: "sold", after: 5_000 } as const, "pets_status_id", /^Index Cond: .*status = .*id > /],
    [{ limit: 20, after: 5_000 }, "pets_pkey", /^Index Cond: .*id > /],
  ])("listPets of %o uses an index, without sorting", async (options, index, condition) => {
    const db = await temporaryDatabase();
    await sql`
    insert into pets (name, category_id, status)
    select 'Rex', n, case when n % 50 = 0 then 'sold' else 'available' end from generate_series(1, 10000) n
  `.execute(db);
    await sql`analyze pets`.execute(db);
    const plan = await planOf<{ "QUERY PLAN": string }>(db, "explain (costs off)", (given) => listPets(given, options));
    expect(plan.map((row) => row["QUERY PLAN"].trim())).toEqual([
      "Limit",
      `->  Index Scan using ${index} on pets`,
      expect.stringMatching(condition),
    ]);
  });

  test("findPet rejects an int8 that a number cannot hold exactly, and the connection stays usable", async () => {
    const db = await temporaryDatabase();
    await sql`alter table pets drop constraint pets_category_id_check`.execute(db);
    const { id } = await insertPet(db, { name: "Rex", categoryId: 1, status: "sold" });
    for (const beyond of ["9007199254740992", "-9007199254740992", "9223372036854775807"]) {
      await sql`update pets set category_id = ${beyond}`.execute(db);
      await expect(findPet(db, { id })).rejects.toThrow("beyond ±9007199254740991");
    }
    for (const held of [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
      await sql`update pets set category_id = ${held}`.execute(db);
      expect(await findPet(db, { id })).toMatchObject({ categoryId: held });
    }
  });
});
