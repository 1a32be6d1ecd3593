import { join } from "node:path";
import { scopes } from "@petstore/contract";
import { generateApiKey } from "@openapi-operations/api-keys/api-key";
import { createApiKey, type IssuedApiKey } from "@openapi-operations/api-keys/keys.repository";
import { migrate } from "@openapi-operations/storage/migrations";
import { temporaryFolder } from "@platform/test-support/temporary";
import { describe, expect, test } from "vitest";
import type { Check } from "@openapi-operations/api-keys/doctor";
import { temporaryUrl } from "@openapi-operations/storage/testing";
import { MIGRATIONS } from "../src/migrations.ts";
import { insertPet } from "../src/resources/pets/pets.repository.ts";
import { run, startProgram } from "./program.ts";
import { opened } from "./temporary.ts";

describe("the commands of keys", () => {
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
});

describe("the environments of keys", () => {
  test("production rejects the quickstart key of its database, and doctor names it until it is revoked", async () => {
    const folder = await temporaryFolder();
    const DATABASE_URL = `file:${folder}/data/petstore.db`;
    const production = { DATABASE_URL, PETSTORE_ENV: "production", PORT: "1" };
    /** Serves the database in an environment, and returns the answers to requests with these keys. */
    const answersIn = async (PETSTORE_ENV: string, keys: (string | undefined)[]) => {
      const program = await startProgram(folder, { DATABASE_URL, PETSTORE_ENV });
      const answers = keys.map(async (key) => {
        const headers = { Authorization: `Bearer ${key ?? program.key}` };
        const response = await fetch(`${program.baseUrl}/pets`, { headers });
        return { status: response.status, body: await response.json() };
      });
      const received = await Promise.all(answers);
      expect(await program.stop()).toBe(0);
      return received;
    };
    const keysOfDoctor = async () => {
      const { code, stdout } = await run(["doctor", "--json"], production);
      return { code, keys: (JSON.parse(stdout) as Check[]).find(({ check }) => check === "keys") };
    };

    const used = { status: 200, body: [] };
    expect(await answersIn("development", [undefined])).toEqual([used]); // undefined stands for the quickstart key
    const created = await run(["keys", "create", "--name", "shop", "--json"], production);
    const { key: shop } = JSON.parse(created.stdout) as IssuedApiKey;
    const [quickstart, own, unknown] = await answersIn("production", [undefined, shop, generateApiKey("production")]);
    expect(own).toEqual(used);
    expect(quickstart).toMatchObject({ status: 401 });
    expect(quickstart).toEqual(unknown);
    expect(await answersIn("staging", [undefined])).toEqual([used]);

    const found = "of another environment, so rejected in production: key 1 (quickstart)";
    expect(await keysOfDoctor()).toMatchObject({
      code: 1,
      keys: { found, remedy: expect.stringContaining("keys revoke") },
    });
    expect((await run(["keys", "list"], production)).stdout).toMatch(/^1 +quickstart +pst_test_\S+ +\* +rejected /m);
    expect((await run(["keys", "revoke", "1"], production)).code).toBe(0);
    expect(await keysOfDoctor()).toEqual({ code: 0, keys: { check: "keys", found: "1 active, all of production" } });
  });
});
