import { listAudit } from "../../src/audit.repository.ts";
import { createApiKey, findApiKey, type IssuedApiKey, listApiKeys } from "../../src/keys.repository.ts";
import { migrate } from "@openapi-operations/storage/migrations";
import { SERVICE } from "@openapi-operations/command-line/name";
import { temporaryUrl } from "@openapi-operations/storage/testing";
import { temporaryFolder } from "@platform/test-support/temporary";
import { expect, test } from "vitest";
import { MIGRATIONS } from "../tables.ts";
import { run, startProgram } from "./start.ts";
import { opened } from "../tables.ts";

const PRODUCTION = { THINGS_ENV: "production" };

/** Starts two servers on one database. The returned function gives their current statuses for a key. */
async function twoServers(DATABASE_URL: string): Promise<(key: string) => Promise<number[]>> {
  const env = { ...PRODUCTION, DATABASE_URL };
  const folder = await temporaryFolder();
  const servers = await Promise.all([startProgram(folder, env), startProgram(folder, env)]);
  return (key) =>
    Promise.all(
      servers.map(async ({ baseUrl }) => {
        const response = await fetch(`${baseUrl}/things`, { headers: { Authorization: `Bearer ${key}` } });
        await response.arrayBuffer();
        return response.status;
      }),
    );
}

test("changes of a key by the command line apply from the next request on, in two servers on one database", async () => {
  const DATABASE_URL = await temporaryUrl();
  const statuses = await twoServers(DATABASE_URL);
  const json = async (...words: string[]) =>
    JSON.parse((await run(["keys", ...words, "--json"], { ...PRODUCTION, DATABASE_URL })).stdout) as IssuedApiKey;

  const first = await json("create", "--name", "shop");
  expect(await statuses(first.key)).toEqual([200, 200]);
  const second = await json("rotate", "1");
  expect([await statuses(first.key), await statuses(second.key)]).toEqual([
    [200, 200],
    [200, 200],
  ]);
  const third = await json("rotate", "2", "--overlap", "0");
  expect([await statuses(second.key), await statuses(third.key)]).toEqual([
    [401, 401],
    [200, 200],
  ]);
  await json("revoke", "3");
  expect([await statuses(first.key), await statuses(third.key)]).toEqual([
    [200, 200],
    [401, 401],
  ]);
});

test("a key expires in two servers on one database at its time, and not before", async () => {
  const DATABASE_URL = await temporaryUrl();
  const statuses = await twoServers(DATABASE_URL);
  const expiresAt = Date.now() + 1_500;
  const { key } = await createApiKey(opened(DATABASE_URL), { name: "brief", environment: "production", expiresAt });
  expect(await statuses(key)).toEqual([200, 200]);
  await expect.poll(() => statuses(key), { timeout: 10_000 }).toEqual([401, 401]);
  expect(Date.now()).toBeGreaterThanOrEqual(expiresAt);
});

test("one of several processes that rotate a key at once succeeds, and the others print the reason", async () => {
  const DATABASE_URL = await temporaryUrl();
  const db = opened(DATABASE_URL);
  await migrate(db, MIGRATIONS);
  await createApiKey(db, { name: "shop", environment: "production" });
  const rotate = () => run(["keys", "rotate", "1", "--json"], { DATABASE_URL });
  const results = await Promise.all([rotate(), rotate(), rotate()]);

  const [winner, ...losers] = results.toSorted((a, b) => a.code - b.code);
  expect(winner).toMatchObject({ code: 0, stderr: "" });
  const stderr = `error: key 1 is already rotated; rotate the key that replaced it, see \`${SERVICE.name} keys list\`\n`;
  const refusal = { code: 1, stdout: "", stderr };
  expect(losers).toEqual([refusal, refusal]);
  expect(await findApiKey(db, (JSON.parse(winner!.stdout) as IssuedApiKey).key, Date.now())).toMatchObject({ id: 2 });
  expect(await listApiKeys(db)).toHaveLength(2);
  expect((await listAudit(db, {})).map(({ action, keyId }) => `${action} ${keyId}`)).toEqual([
    "issue 1",
    "rotate 1",
    "issue 2",
  ]);
});
