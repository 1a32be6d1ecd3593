import { execFileSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ConfigError, variableOf } from "@openapi-operations/service/settings";
import { isOwnerOnly, isPosix, needsPosix } from "@platform/test-support/machine";
import { temporaryFolder } from "@platform/test-support/temporary";
import { describe, expect, test } from "vitest";
import { generateApiKey } from "../src/api-key.ts";
import { listAudit } from "../src/audit.repository.ts";
import { ensureBootstrapKey, ensureQuickstartKey } from "../src/first-keys.ts";
import { createApiKey, findApiKey, listApiKeys, revokeApiKey, type ValidApiKey } from "../src/keys.repository.ts";
import { BOOTSTRAP_KEY_FILE } from "../src/settings.ts";
import { type Database, temporaryDatabase } from "./tables.ts";

describe("the bootstrap key", () => {
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
      expect(await ensureBootstrapKey(db, file, "production")).toBe("registered");
      expect(await ensureBootstrapKey(db, file, "production")).toBe("known");
      expect(await findApiKey(db, KEY, Date.now())).toEqual({
        id: 1,
        name: "bootstrap",
        scopes: ["*"],
        expiresAt: null,
      });
      expect(await listApiKeys(db)).toMatchObject([{ name: "bootstrap", expiresAt: null }]);
      expect(await listAudit(db, {})).toMatchObject([{ action: "issue", keyId: 1, keyName: "bootstrap" }]);
    });

    test("keeps a revoked key revoked", async () => {
      const [db, file] = [await temporaryDatabase(), await fileWith(KEY)];
      await ensureBootstrapKey(db, file, "production");
      await revokeApiKey(db, 1);
      expect(await ensureBootstrapKey(db, file, "production")).toBe("known");
      expect(await findApiKey(db, KEY, Date.now())).toBeUndefined();
    });

    test("follows a link, because containers mount secrets as links", async (context) => {
      needsPosix(context, "links without privileges");
      const link = join(await temporaryFolder(), "link");
      await symlink(await fileWith(KEY), link);
      expect(await ensureBootstrapKey(await temporaryDatabase(), link, "production")).toBe("registered");
    });

    test.each([
      ["development", "registered"],
      ["staging", "registered"],
      ["production", "ConfigError"],
    ] as const)("in %s, a key that is not of production is %s", async (environment, outcome) => {
      const [db, file] = [await temporaryDatabase(), await fileWith(generateApiKey("development"))];
      const found = await ensureBootstrapKey(db, file, environment).catch((error: Error) => error.name);
      expect(found).toBe(outcome);
      expect(await listApiKeys(db)).toHaveLength(outcome === "registered" ? 1 : 0);
    });

    const noKey = /names a file that does not contain a well-formed API key\. Make one with: .*keys generate/;
    const byOthers = /users other than its owner may read or write\. Run: chmod 600/;
    test.for<[name: string, file: () => Promise<string>, message: RegExp, posixFeature?: string]>([
      ["missing", async () => join(await temporaryFolder(), KEY), /names a file that does not exist\. Make one with: /],
      [
        "at a path that is too long",
        async () => `/${KEY.repeat(100)}`,
        /names a file that cannot be read \(ENAMETOOLONG\)\.$/,
        "limit of path lengths below its own",
      ],
      ["empty", () => fileWith(""), /names a file that is empty\./],
      ["blank", () => fileWith(" \n"), /names a file that is empty\./],
      ["mistyped", () => fileWith(KEY.replace(/.$/, "!")), noKey],
      ["with a wrong checksum", () => fileWith(KEY.slice(0, -6) + "000000"), noKey],
      ["a list of two keys", () => fileWith(`${KEY}\n${KEY}\n`), noKey],
      ["a setting instead of a key", () => fileWith(`KEY=${KEY}`), noKey],
      ["large", () => fileWith(KEY.repeat(100)), /names a file that contains more than one API key\./],
      ["readable by others", () => fileWith(KEY, 0o604), byOthers, "file modes"],
      ["readable by its group", () => fileWith(KEY, 0o640), byOthers, "file modes"],
      ["writable by others", () => fileWith(KEY, 0o602), byOthers, "file modes"],
      ["a folder", temporaryFolder, /does not name a regular file\.$/],
      ["a named pipe", namedPipe, /does not name a regular file\.$/, "named pipes in folders"],
    ])(
      "rejects a file that is %s, with one line and without its content",
      async ([, file, message, feature], context) => {
        if (feature !== undefined) needsPosix(context, feature);
        const db = await temporaryDatabase();
        const refusal = await ensureBootstrapKey(db, await file(), "production").catch(
          (error: unknown) => error as ConfigError,
        );
        expect(refusal).toBeInstanceOf(ConfigError);
        const text = (refusal as ConfigError).message;
        expect(text).toMatch(message);
        expect(text).toMatch(new RegExp(`^${variableOf(BOOTSTRAP_KEY_FILE)} [^\\n]*$`));
        expect(text).not.toContain(KEY.slice(9, 21));
        expect(await listApiKeys(db)).toEqual([]);
      },
    );
  });

  async function namedPipe(): Promise<string> {
    const path = join(await temporaryFolder(), "pipe");
    execFileSync("mkfifo", [path]);
    return path;
  }
});

describe("the quickstart key", () => {
  const scopes = ["things:read", "things:write"];

  test("writes a valid key that only its owner can read, and no other file", async () => {
    const [db, file] = [await temporaryDatabase(), await temporaryFile()];
    expect(await ensureQuickstartKey(db, file, scopes)).toBe("written");
    expect(await keyIn(db, file)).toMatchObject({ name: "quickstart", scopes: ["*"] });
    expect(isOwnerOnly(file)).toBe(true);
    expect(await readdir(dirname(file))).toEqual(["quickstart.key"]);
  });

  test("keeps a valid key, and removes the read permission of others", async () => {
    const [db, file] = [await temporaryDatabase(), await temporaryFile()];
    await ensureQuickstartKey(db, file, scopes);
    const before = await readFile(file, "utf8");
    await chmod(file, 0o644);
    expect(await ensureQuickstartKey(db, file, scopes)).toBe("kept");
    expect(await readFile(file, "utf8")).toBe(before);
    expect(isOwnerOnly(file)).toBe(true);
    expect(await listApiKeys(db)).toHaveLength(1);
  });

  test("keeps a key with every current scope, and replaces it if a scope is added", async () => {
    const [db, file] = [await temporaryDatabase(), await temporaryFile()];
    await ensureQuickstartKey(db, file, scopes);
    const { key } = await createApiKey(db, { name: "earlier", environment: "development", scopes });
    await writeFile(file, key);
    expect(await ensureQuickstartKey(db, file, scopes)).toBe("kept");
    expect(await ensureQuickstartKey(db, file, [...scopes, "orders:write"])).toBe("written");
    expect(await ensureQuickstartKey(db, file, [...scopes, "orders:write"])).toBe("kept");
  });

  test("replaces a key that is unknown to this database or revoked", async () => {
    const [db, file] = [await temporaryDatabase(), await temporaryFile()];
    await ensureQuickstartKey(await temporaryDatabase(), file, scopes);
    await chmod(file, 0o644);
    expect(await ensureQuickstartKey(db, file, scopes)).toBe("written");
    expect(await keyIn(db, file)).toBeDefined();
    expect(isOwnerOnly(file)).toBe(true);

    await revokeApiKey(db, 1);
    expect(await ensureQuickstartKey(db, file, scopes)).toBe("written");
    expect(await keyIn(db, file)).toMatchObject({ id: 2 });
  });

  test("replaces a key without every scope, and text that is not a key", async () => {
    const [db, file] = [await temporaryDatabase(), await temporaryFile()];
    const { key } = await createApiKey(db, { name: "reader", environment: "development", scopes: ["things:read"] });
    await ensureQuickstartKey(db, file, scopes);
    for (const text of [key, "", "no key"]) {
      await writeFile(file, text);
      expect(await ensureQuickstartKey(db, file, scopes)).toBe("written");
      expect(await keyIn(db, file)).toMatchObject({ name: "quickstart" });
    }
  });

  test("names a file that cannot be used, and gives the remedy", async () => {
    const [db, file] = [await temporaryDatabase(), await temporaryFile()];
    await mkdir(file, { recursive: true });
    await expect(ensureQuickstartKey(db, file, scopes)).rejects.toThrow(
      `The quickstart key cannot be stored in ${file} (EISDIR). Make the path writable for this user, or remove the file or folder that blocks it.`,
    );
    await writeFile(`${file}.txt`, "");
    await expect(ensureQuickstartKey(db, `${file}.txt/quickstart.key`, scopes)).rejects.toThrow(
      isPosix ? "quickstart.key (ENOTDIR). Make" : "The quickstart key cannot be stored in",
    );
  });

  async function temporaryFile(): Promise<string> {
    return join(await temporaryFolder(), "data", "quickstart.key");
  }

  async function keyIn(db: Database, file: string): Promise<ValidApiKey | undefined> {
    return findApiKey(db, (await readFile(file, "utf8")).trim(), Date.now());
  }
});
