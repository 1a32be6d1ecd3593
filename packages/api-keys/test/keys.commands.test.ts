import { SERVICE } from "@openapi-operations/command-line/name";
import { migrate } from "@openapi-operations/storage/migrations";
import { temporaryUrl } from "@openapi-operations/storage/testing";
import { InvalidArgumentError } from "commander";
import { describe, expect, test } from "vitest";
import { generateApiKey, prefixOfApiKey } from "../src/api-key.ts";
import { parseId, parseName, parseOverlap, scopesParser } from "../src/keys.commands.ts";
import { createApiKey, findApiKey, revokeApiKey, rotateApiKey, saveKeyUses } from "../src/keys.repository.ts";
import { run } from "./command-line.ts";
import { MIGRATIONS, opened } from "./tables.ts";

describe("the commands", () => {
  const DAY = 24 * 60 * 60 * 1000;

  describe("keys", () => {
    test("create migrates the database, and prints a valid key once", async () => {
      const url = await temporaryUrl();
      const { code, stdout, stderr } = await run(["keys", "create", "--name", "ci"], url, "production");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain('Key 1, "ci", allows things:read and things:write without expiry:');
      expect(stdout).toContain("it will not be shown again");
      const [key, ...more] = stdout.match(new RegExp(`${SERVICE.keyPrefix}_live_\\w+`, "g")) ?? [];
      expect(more).toEqual([]);
      expect(await findApiKey(opened(url), key ?? "", Date.now())).toMatchObject({ name: "ci" });
    });

    test("create --json prints the key with its scopes and expiry", async () => {
      const url = await temporaryUrl();
      const words = ["keys", "create", "--name", "ci", "--scopes", "things:read", "--expires-in", "90d", "--json"];
      const created = JSON.parse((await run(words, url)).stdout);
      expect(created).toMatchObject({ id: 1, name: "ci", scopes: ["things:read"], revokedAt: null });
      expect(created.key).toMatch(new RegExp(`^${SERVICE.keyPrefix}_test_\\w{49}$`));
      expect(Math.abs(Date.parse(created.expiresAt) - (Date.now() + 90 * DAY))).toBeLessThan(60_000);
    });

    test('create --scopes "*" creates a key for every current and future operation', async () => {
      const url = await temporaryUrl();
      const { stdout } = await run(["keys", "create", "--name", "ci", "--scopes", "*"], url);
      expect(stdout).toContain('Key 1, "ci", allows everything without expiry:');
      const [key = ""] = new RegExp(`${SERVICE.keyPrefix}_test_\\w+`).exec(stdout) ?? [];
      expect(await findApiKey(opened(url), key)).toMatchObject({ scopes: ["*"] });
    });

    test("create prints the expiry of the key", async () => {
      const url = await temporaryUrl();
      const words = ["keys", "create", "--name", "ci", "--scopes", "things:write", "--expires-in", "1h"];
      const [, until = "", key] =
        /^Key 1, "ci", allows things:write until (20\S+Z):\n\n {2}(\S+)\n\nKeep it now: it will not be shown again\.\n$/.exec(
          (await run(words, url, "staging")).stdout,
        ) ?? [];
      expect(Math.abs(Date.parse(until) - (Date.now() + DAY / 24))).toBeLessThan(60_000);
      expect(key).toMatch(new RegExp(`^${SERVICE.keyPrefix}_test_\\w{49}$`));
    });

    test("create rejects a name with an API key, because names are logged", async () => {
      const url = await temporaryUrl();
      const words = ["keys", "create", "--name", `for ${generateApiKey("production")}`];
      const { code, stdout, stderr } = await run(words, url);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain("Give a name without an API key, since names are stored and logged.");
    });

    test("list prints each key's state in aligned columns, never a key or a hash", async () => {
      const url = await temporaryUrl();
      const db = opened(url);
      await migrate(db, MIGRATIONS);
      const { key } = await createApiKey(db, { name: "a longer name", environment: "production" });
      await createApiKey(db, { name: "ci", environment: "staging", scopes: ["things:write"], expiresAt: Date.now() });
      await createApiKey(db, { name: "ops", environment: "staging" });
      await revokeApiKey(db, 3);
      await saveKeyUses(db, new Map([[1, Date.parse("2030-01-02T03:04:05.678Z")]]));

      const lines = (await run(["keys", "list"], url)).stdout.trimEnd().split("\n");
      expect(lines.map((line) => line.split(/ {2,}/).slice(0, 5))).toEqual([
        ["ID", "NAME", "KEY", "SCOPES", "STATE"],
        ["1", "a longer name", `${prefixOfApiKey(key)}…`, "*", "active"],
        [
          "2",
          "ci",
          expect.stringMatching(new RegExp(`^${SERVICE.keyPrefix}_test_\\w{4}…$`)),
          "things:write",
          "expired",
        ],
        ["3", "ops", expect.stringMatching(new RegExp(`^${SERVICE.keyPrefix}_test_\\w{4}…$`)), "*", "revoked"],
      ]);
      const columns = ["STATE", "active", "expired", "revoked"].map((state, row) => lines[row]?.indexOf(state));
      expect(new Set(columns).size).toBe(1);

      const now = expect.stringMatching(/^20.*Z$/) as string;
      expect(lines.map((line) => line.split(/ {2,}/).slice(5))).toEqual([
        ["CREATED", "EXPIRES", "LAST USED"],
        [now, "never", "2030-01-02T03:04:05.678Z"],
        [now, now, "never"],
        [now, "never", "never"],
      ]);

      const { stdout } = await run(["keys", "list", "--json"], url);
      const dates = { createdAt: now, expiresAt: null, lastUsedAt: null, revokedAt: null };
      expect(JSON.parse(stdout)).toMatchObject([
        { ...dates, lastUsedAt: "2030-01-02T03:04:05.678Z" },
        { ...dates, expiresAt: now },
        { ...dates, revokedAt: now },
      ]);
      expect(stdout).not.toMatch(new RegExp(`hash|"key"|[0-9a-f]{64}|${SERVICE.keyPrefix}_\\w{4}_\\w{5}`));
    });

    test("rotate prints the new key once, and the expiry of the old one: a day by default", async () => {
      const url = await temporaryUrl();
      const db = opened(url);
      await migrate(db, MIGRATIONS);
      await createApiKey(db, { name: "shop", environment: "production", scopes: ["things:read"] });
      const { code, stdout, stderr } = await run(["keys", "rotate", "1"], url);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain('Key 2, "shop", allows things:read without expiry:');
      const [key, ...more] = stdout.match(new RegExp(`${SERVICE.keyPrefix}_live_\\w+`, "g")) ?? [];
      expect(more).toEqual([]);
      expect(await findApiKey(db, key ?? "", Date.now())).toMatchObject({ id: 2 });
      const until = /It replaces key 1, which is valid until (\S+)\.\n$/.exec(stdout)?.[1] ?? "";
      expect(Math.abs(Date.parse(until) - (Date.now() + DAY))).toBeLessThan(60_000);

      const words = ["keys", "rotate", "2", "--overlap", "2h", "--json"];
      const rotated = JSON.parse((await run(words, url)).stdout);
      expect(rotated).toMatchObject({
        id: 3,
        name: "shop",
        key: expect.stringMatching(new RegExp(`^${SERVICE.keyPrefix}_live_\\w{49}$`)),
      });
      expect(rotated.replaces.id).toBe(2);
      expect(Math.abs(Date.parse(rotated.replaces.expiresAt) - (Date.now() + DAY / 12))).toBeLessThan(60_000);
    });

    test.each([
      ["unknown", "5", `error: there is no key 5; see \`${SERVICE.name} keys list\`\n`],
      ["revoked", "1", `error: key 1 is revoked; create a new one with \`${SERVICE.name} keys create\`\n`],
      ["expired", "2", `error: key 2 is expired; create a new one with \`${SERVICE.name} keys create\`\n`],
      [
        "already rotated",
        "3",
        `error: key 3 is already rotated; rotate the key that replaced it, see \`${SERVICE.name} keys list\`\n`,
      ],
    ])("rotate rejects a key that is %s", async (_, id, stderr) => {
      const url = await temporaryUrl();
      const db = opened(url);
      await migrate(db, MIGRATIONS);
      await createApiKey(db, { name: "ci", environment: "production" });
      await createApiKey(db, { name: "ops", environment: "production", expiresAt: Date.now() });
      await revokeApiKey(db, 1);
      await createApiKey(db, { name: "shop", environment: "production" });
      await rotateApiKey(db, 3, DAY);
      expect(await run(["keys", "rotate", id], url)).toEqual({ code: 1, stdout: "", stderr });
    });

    test("revoke ends a key, may be repeated, and reports an unknown key", async () => {
      const url = await temporaryUrl();
      const db = opened(url);
      await migrate(db, MIGRATIONS);
      const { key } = await createApiKey(db, { name: "ci", environment: "production" });
      expect(await run(["keys", "revoke", "1"], url)).toEqual({
        code: 0,
        stdout: "Key 1 is revoked.\n",
        stderr: "",
      });
      expect(await findApiKey(db, key, Date.now())).toBeUndefined();
      const again = await run(["keys", "revoke", "1", "--json"], url);
      expect(JSON.parse(again.stdout)).toEqual({ id: 1, outcome: "already revoked" });
      expect((await run(["keys", "revoke", "1"], url)).stdout).toBe("Key 1 is already revoked.\n");
      const missing = await run(["keys", "revoke", "2"], url);
      expect(missing).toEqual({
        code: 1,
        stdout: "",
        stderr: `error: there is no key 2; see \`${SERVICE.name} keys list\`\n`,
      });
    });
  });
});

describe("the arguments of the commands", () => {
  const parseScopes = scopesParser(["pets:read", "pets:write"]);
  const HOUR = 3_600_000;

  test.each<[(text: string) => unknown, string, unknown]>([
    [parseName, "x", "x"],
    [parseName, "Rex & Söhne 𝄞", "Rex & Söhne 𝄞"],
    [parseName, "x".repeat(100), "x".repeat(100)],
    [parseScopes, "pets:write", ["pets:write"]],
    [parseScopes, "pets:write, pets:read", ["pets:read", "pets:write"]],
    [parseScopes, "*", ["*"]],
    [parseOverlap, "0", 0],
    [parseOverlap, "2h", 2 * HOUR],
    [parseId, "1", 1],
    [parseId, "9".repeat(15), 999_999_999_999_999],
  ])("%o reads %o as %o", (parse, text, value) => {
    expect(parse(text)).toEqual(value);
  });

  const NAMES = "Give 1 to 100 characters, none of them a control character.";
  const SCOPES = 'Give some of pets:read,pets:write, separated by commas, or "*" alone for all of them.';
  const DURATION = "Give a whole number and one of s, m, h, d, w, such as 90d.";
  const ID = `Give the number that \`${SERVICE.name} keys list\` shows.`;

  describe.each<[(text: string) => unknown, string, string[]]>([
    [parseName, NAMES, ["", "x".repeat(101), "a\nb", "a\u0000", "\u202e"]],
    [parseScopes, SCOPES, ["*,pets:read", "**", "pets:read,*"]],
    [parseScopes, SCOPES, ["", "pets", "pets:read,", "pets:read,pets:read", "pets:read pets:write", "PETS:READ"]],
    [parseOverlap, DURATION, ["", "00", "0d", "1"]],
    [parseId, ID, ["", "0", "01", "1x", "x1", "-1", "1.5", "9".repeat(16)]],
  ])("%o, with the error %s,", (parse, remedy, texts) => {
    test.each(texts)("rejects %o", (text) => {
      expect(() => parse(text)).toThrow(new InvalidArgumentError(remedy));
    });
  });

  test("parseName rejects a name with an API key, because names are stored and logged", () => {
    const holding = `for ${generateApiKey("production")}`;
    const remedy = "Give a name without an API key, since names are stored and logged.";
    expect(() => parseName(holding)).toThrow(new InvalidArgumentError(remedy));
  });
});
