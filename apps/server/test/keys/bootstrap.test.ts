import { execFileSync } from "node:child_process";
import { chmod, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateApiKey } from "@platform/api-keys/api-key";
import { listAudit } from "@platform/api-keys/audit.repository";
import { ensureBootstrapKey } from "@platform/api-keys/bootstrap";
import { findApiKey, listApiKeys, revokeApiKey } from "@platform/api-keys/keys.repository";
import { ConfigError } from "@platform/service/settings";
import { temporaryFolder, temporaryUrl } from "@platform/test-support/temporary";
import { describe, expect, test } from "vitest";
import { run, startProgram } from "../program.ts";
import { opened, temporaryDatabase } from "../temporary.ts";

const KEY = generateApiKey("production");

async function fileWith(text: string, mode = 0o600): Promise<string> {
  const file = join(await temporaryFolder(), "bootstrap.key");
  await writeFile(file, text);
  await chmod(file, mode);
  return file;
}

describe("ensureBootstrapKey", () => {
  test("registers the key with every scope and without expiry, once", async () => {
    const [db, file] = [await temporaryDatabase(), await fileWith(`${KEY}\n`, 0o400)];
    expect(await ensureBootstrapKey(db, file)).toBe("registered");
    expect(await ensureBootstrapKey(db, file)).toBe("known");
    expect(await findApiKey(db, KEY, Date.now())).toEqual({
      id: 1,
      name: "bootstrap",
      scopes: ["*"],
      expiresAt: null,
    });
    expect(await listApiKeys(db)).toMatchObject([{ name: "bootstrap", expiresAt: null }]);
    expect(await listAudit(db, {})).toMatchObject([{ action: "issue", keyId: 1, keyName: "bootstrap" }]);
  });

  test("leaves a key revoked that was", async () => {
    const [db, file] = [await temporaryDatabase(), await fileWith(KEY)];
    await ensureBootstrapKey(db, file);
    await revokeApiKey(db, 1);
    expect(await ensureBootstrapKey(db, file)).toBe("known");
    expect(await findApiKey(db, KEY, Date.now())).toBeUndefined();
  });

  test("follows a link, as secrets are mounted in containers", async () => {
    const link = join(await temporaryFolder(), "link");
    await symlink(await fileWith(KEY), link);
    expect(await ensureBootstrapKey(await temporaryDatabase(), link)).toBe("registered");
  });

  const noKey = /names a file that does not hold one API key\. Make one with: .*keys generate/;
  test.each<[string, () => Promise<string>, RegExp]>([
    ["missing", async () => join(await temporaryFolder(), KEY), /names a file that does not exist\. Make one with: /],
    ["a path too long", async () => `/${KEY.repeat(100)}`, /names a file that cannot be read \(ENAMETOOLONG\)\.$/],
    ["empty", () => fileWith(""), /names a file that is empty\./],
    ["blank", () => fileWith(" \n"), /names a file that is empty\./],
    ["mistyped", () => fileWith(KEY.replace(/.$/, "!")), noKey],
    ["with a wrong checksum", () => fileWith(KEY.slice(0, -6) + "000000"), noKey],
    ["two keys", () => fileWith(`${KEY}\n${KEY}\n`), noKey],
    ["a setting and not a key", () => fileWith(`KEY=${KEY}`), noKey],
    ["large", () => fileWith(KEY.repeat(100)), /names a file that holds more than an API key\./],
    ["readable by others", () => fileWith(KEY, 0o604), /others than its owner may read or write\. Run: chmod 600/],
    ["readable by its group", () => fileWith(KEY, 0o640), /others than its owner may read or write\. Run: chmod 600/],
    ["writable by others", () => fileWith(KEY, 0o602), /others than its owner may read or write\. Run: chmod 600/],
    ["a folder", temporaryFolder, /does not name a regular file\.$/],
    ["a named pipe", namedPipe, /does not name a regular file\.$/],
  ])("refuses a file that is %s, in one line and without its content", async (_, file, message) => {
    const db = await temporaryDatabase();
    const refusal = await ensureBootstrapKey(db, await file()).catch((error: unknown) => error as ConfigError);
    expect(refusal).toBeInstanceOf(ConfigError);
    const text = (refusal as ConfigError).message;
    expect(text).toMatch(message);
    expect(text).toMatch(/^PETSTORE_BOOTSTRAP_KEY_FILE [^\n]*$/);
    expect(text).not.toContain(KEY.slice(9, 21));
    expect(await listApiKeys(db)).toEqual([]);
  });
});

test.each(["development", "production"])(
  "several servers that start at once in %s make one key of it",
  async (PETSTORE_ENV) => {
    const [folder, DATABASE_URL] = [await temporaryFolder(), await temporaryUrl()];
    const env = { DATABASE_URL, PETSTORE_ENV, PETSTORE_BOOTSTRAP_KEY_FILE: await fileWith(KEY) };
    const servers = await Promise.all([1, 2, 3].map(() => startProgram(folder, env)));
    for (const { baseUrl } of servers) {
      const response = await fetch(`${baseUrl}/pets`, { headers: { Authorization: `Bearer ${KEY}` } });
      expect(response.status).toBe(200);
    }
    expect(await Promise.all(servers.map(({ stop }) => stop()))).toEqual([0, 0, 0]);
    const db = opened(DATABASE_URL);
    const isBootstrap = ({ name }: { name: string }) => name === "bootstrap";
    expect((await listApiKeys(db)).filter(isBootstrap)).toHaveLength(1);
    expect((await listAudit(db, {})).filter(({ keyName }) => keyName === "bootstrap")).toHaveLength(1);
  },
);

test("a file that is refused stops the start with one line", async () => {
  const env = { DATABASE_URL: await temporaryUrl(), PETSTORE_BOOTSTRAP_KEY_FILE: await fileWith(KEY, 0o644) };
  const { code, stdout, stderr } = await run(["serve"], env);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^PETSTORE_BOOTSTRAP_KEY_FILE names a file that others .*\n$/);
});

test("`keys generate` makes what the file wants, and a database is not touched", async () => {
  const DATABASE_URL = "file:/dev/null/petstore.db";
  const { code, stdout } = await run(["keys", "generate"], { DATABASE_URL, PETSTORE_ENV: "production" });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^pst_live_\w{49}\n$/);
  expect(await ensureBootstrapKey(await temporaryDatabase(), await fileWith(stdout))).toBe("registered");
});

async function namedPipe(): Promise<string> {
  const path = join(await temporaryFolder(), "pipe");
  execFileSync("mkfifo", [path]);
  return path;
}
