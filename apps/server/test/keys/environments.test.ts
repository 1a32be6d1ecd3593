import { generateApiKey } from "@platform/api-keys/api-key";
import type { IssuedApiKey } from "@platform/api-keys/keys.repository";
import { temporaryFolder } from "@platform/test-support/temporary";
import { expect, test } from "vitest";
import type { Check } from "../../src/doctor.ts";
import { run, startProgram } from "../program.ts";

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
