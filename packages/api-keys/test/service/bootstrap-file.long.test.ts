import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateApiKey } from "../../src/api-key.ts";
import { listAudit } from "../../src/audit.repository.ts";
import { ensureBootstrapKey } from "../../src/first-keys.ts";
import { listApiKeys } from "../../src/keys.repository.ts";
import { BOOTSTRAP_KEY_FILE } from "../../src/settings.ts";
import { KEY_PREFIX } from "@platform/command-line/name";
import { temporaryFolder, temporaryUrl } from "@platform/test-support/temporary";
import { needsPosix } from "@platform/test-support/machine";
import { expect, test } from "vitest";
import { run, startProgram } from "./start.ts";
import { opened, temporaryDatabase } from "../tables.ts";

const KEY = generateApiKey("production");

async function fileWith(text: string, mode = 0o600): Promise<string> {
  const file = join(await temporaryFolder(), "bootstrap.key");
  await writeFile(file, text, { mode });
  return file;
}

test.each(["development", "production"])(
  "several servers that start at once in %s register the bootstrap key once",
  async (THINGS_ENV) => {
    const [folder, DATABASE_URL] = [await temporaryFolder(), await temporaryUrl()];
    const env = { DATABASE_URL, THINGS_ENV, [BOOTSTRAP_KEY_FILE]: await fileWith(KEY) };
    const servers = await Promise.all([1, 2, 3].map(() => startProgram(folder, env)));
    for (const { baseUrl } of servers) {
      const response = await fetch(`${baseUrl}/things`, { headers: { Authorization: `Bearer ${KEY}` } });
      expect(response.status).toBe(200);
    }
    expect(await Promise.all(servers.map(({ stop }) => stop()))).toEqual([0, 0, 0]);
    const db = opened(DATABASE_URL);
    const isBootstrap = ({ name }: { name: string }) => name === "bootstrap";
    expect((await listApiKeys(db)).filter(isBootstrap)).toHaveLength(1);
    expect((await listAudit(db, {})).filter(({ keyName }) => keyName === "bootstrap")).toHaveLength(1);
  },
);

test("SIGUSR2 reads the key file anew, and an unusable file changes nothing", async (context) => {
  needsPosix(context, "SIGUSR2");
  const file = await fileWith(KEY);
  const env = { DATABASE_URL: await temporaryUrl(), THINGS_ENV: "production", [BOOTSTRAP_KEY_FILE]: file };
  const program = await startProgram(await temporaryFolder(), env);
  const status = async (key: string): Promise<number> =>
    (await fetch(`${program.baseUrl}/things`, { headers: { Authorization: `Bearer ${key}` } })).status;
  const next = generateApiKey("production");
  expect([await status(KEY), await status(next)]).toEqual([200, 401]);
  await writeFile(file, "");
  program.child.kill("SIGUSR2");
  await expect.poll(() => program.output()).toContain('"msg":"the reload failed, ');
  expect(program.output()).toContain(`${BOOTSTRAP_KEY_FILE} names a file that is empty.`);
  await writeFile(file, next);
  program.child.kill("SIGUSR2");
  await expect.poll(() => status(next)).toBe(200);
  expect(await status(KEY)).toBe(200);
  expect(await program.stop()).toBe(0);
});

test("a key file that other users may read stops the start with one line", async (context) => {
  needsPosix(context, "file modes");
  const env = { DATABASE_URL: await temporaryUrl(), [BOOTSTRAP_KEY_FILE]: await fileWith(KEY, 0o644) };
  const { code, stdout, stderr } = await run(["serve"], env);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(new RegExp(`^${BOOTSTRAP_KEY_FILE} names a file that users other than its owner .*\n$`));
});

test("`keys generate` prints a valid bootstrap key without touching a database", async () => {
  const DATABASE_URL = "file:/dev/null/things.db";
  const { code, stdout } = await run(["keys", "generate"], { DATABASE_URL, THINGS_ENV: "production" });
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`^${KEY_PREFIX}_live_\\w{49}\n$`));
  expect(await ensureBootstrapKey(await temporaryDatabase(), await fileWith(stdout), "production")).toBe("registered");
});
