import { join } from "node:path";
import { scopes } from "@petstore/contract";
import { createApiKey } from "@platform/api-keys/keys.repository";
import { migrate } from "@platform/storage/migrations";
import { temporaryFolder, temporaryUrl } from "@platform/test-support/temporary";
import { expect, test } from "vitest";
import { MIGRATIONS } from "../../src/migrations.ts";
import { insertPet } from "../../src/resources/pets/pets.repository.ts";
import { run } from "../program.ts";
import { opened } from "../temporary.ts";

test("petstore keys create issues a key with every scope, in a database that is not yet migrated", async () => {
  const env = { DATABASE_URL: await temporaryUrl(), PETSTORE_ENV: "production" };
  const created = await run(["keys", "create", "--name", "ci"], env);
  expect(created).toMatchObject({ code: 0, stderr: "" });
  expect(created.stdout).toContain(`Key 1, "ci", allows ${scopes.join(" and ")} without expiry:\n\n  pst_live_`);
});

test("petstore audit shows the animals added with a key, also after a restore", async () => {
  const DATABASE_URL = await temporaryUrl();
  const folder = await temporaryFolder();
  const db = opened(DATABASE_URL);
  await migrate(db, MIGRATIONS);
  const { prefix } = await createApiKey(db, { name: "shop", environment: "production" });
  await insertPet(db, { name: "Rex", categoryId: 1, status: "sold", createdBy: 1, createdAt: 0 });
  const audited = await run(["audit", "--json"], { DATABASE_URL });
  expect(JSON.parse(audited.stdout)).toMatchObject([
    { action: "createPet", keyId: 1, keyName: "shop", keyPrefix: prefix, petId: 1 },
    { action: "issue", keyId: 1 },
  ]);
  const restored = { DATABASE_URL: `file:${join(folder, "restored.db")}` };
  expect((await run(["backup", join(folder, "backup.db")], { DATABASE_URL })).code).toBe(0);
  expect((await run(["restore", join(folder, "backup.db"), "--force"], restored)).code).toBe(0);
  expect(await run(["audit", "--json"], restored)).toEqual(audited);
});

test("petstore exits with 2 for an invalid argument, and prints the valid values", async () => {
  const DATABASE_URL = await temporaryUrl();
  const { code, stdout, stderr } = await run(["audit", "--limit", "0"], { DATABASE_URL });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain("Give a whole number of at least 1.");
});
