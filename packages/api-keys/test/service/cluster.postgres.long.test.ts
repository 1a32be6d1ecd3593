import { createApiKey, revokeApiKey } from "../../src/keys.repository.ts";
import { migrate } from "@platform/storage/migrations";
import { temporaryFolder, temporaryUrl } from "@platform/test-support/temporary";
import { expect, test } from "vitest";
import { MIGRATIONS } from "../tables.ts";
import { creation, startProgram } from "./start.ts";
import { opened } from "../tables.ts";

test("processes of one service on PostgreSQL see each other's writes and revocations from the next request on", async () => {
  const DATABASE_URL = await temporaryUrl();
  const db = opened(DATABASE_URL);
  await migrate(db, MIGRATIONS);
  const { id, key } = await createApiKey(db, { name: "test", environment: "production" });
  const env = { DATABASE_URL, THINGS_ENV: "production", WEB_CONCURRENCY: "3" };
  const program = await startProgram(await temporaryFolder(), env);
  const headers = { Authorization: `Bearer ${key}`, Connection: "close" }; // each connection goes to the next process
  const statuses = async () => {
    const answers = [];
    for (let process = 0; process < 3; process++) answers.push(await fetch(`${program.baseUrl}/things/1`, { headers }));
    return answers.map(({ status }) => status);
  };
  const created = await fetch(`${program.baseUrl}/things`, creation("Rex", headers));
  expect(created.status).toBe(201);
  expect(await statuses()).toEqual([200, 200, 200]);
  await revokeApiKey(db, id);
  expect(await statuses()).toEqual([401, 401, 401]);
  const pids = () => new Set(program.output().match(/"pid":\d+/g));
  await expect.poll(() => pids().size).toBe(3);
  expect(await program.stop()).toBe(0);
});
