import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { variableOf } from "@openapi-operations/service/settings";
import { SERVICE } from "@openapi-operations/command-line/name";
import { temporaryUrl } from "@openapi-operations/storage/testing";
import { needsPosix } from "@platform/test-support/machine";
import { temporaryFolder } from "@platform/test-support/temporary";
import Sqlite from "better-sqlite3";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { generateApiKey } from "../../src/api-key.ts";
import { listAudit } from "../../src/audit.repository.ts";
import { ensureBootstrapKey } from "../../src/first-keys.ts";
import { listApiKeys } from "../../src/keys.repository.ts";
import { BOOTSTRAP_KEY_FILE } from "../../src/settings.ts";
import { opened, temporaryDatabase } from "../tables.ts";
import { run, startProgram } from "./start.ts";

describe("only the owner may read the database, its log and its copies", () => {
  beforeEach((context) => needsPosix(context, "file modes"));

  /** Returns the modes of the files, which a usual umask leaves readable for everybody. */
  const modesIn = async (folder: string): Promise<Record<string, string>> => {
    const names = (await readdir(folder)).filter((name) => name.includes(".db")).toSorted();
    const modes = names.map(async (name) => [name, ((await stat(join(folder, name))).mode & 0o777).toString(8)]);
    return Object.fromEntries(await Promise.all(modes)) as Record<string, string>;
  };
  const ALL = { "things.db": "600", "things.db-shm": "600", "things.db-wal": "600" };

  test("if the service creates them", async () => {
    const folder = await temporaryFolder();
    await startProgram(folder);
    expect(await modesIn(join(folder, "data"))).toEqual(ALL);
  });

  test("if a killed process left them and others could read them, and if they are behind a symbolic link", async () => {
    const folder = await temporaryFolder();
    const data = join(folder, "data");
    const killed = await startProgram(folder);
    await killed.stop("SIGKILL");
    for (const name of Object.keys(ALL)) await chmod(join(data, name), 0o664);
    const program = await startProgram(folder);
    expect(await modesIn(data)).toEqual(ALL);
    await program.stop();

    const [link, target] = [join(folder, "link.db"), join(folder, "else/things.db")];
    await mkdir(join(folder, "else"));
    await symlink(target, link);
    expect((await run(["migrate"], { DATABASE_URL: `file:${link}` })).code).toBe(0);
    expect(await modesIn(join(folder, "else"))).toEqual({ "things.db": "600" });
  });

  test("during a backup, and after a restore for the replaced file too", async () => {
    const folder = await temporaryFolder();
    const [path, copy] = [join(folder, "things.db"), join(folder, "copy.db")];
    const env = { DATABASE_URL: `file:${path}` };
    await run(["migrate"], env);
    const file = new Sqlite(path);
    onTestFinished(() => void file.close());
    file.exec(
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000) " +
        "insert into things (name) select 'Rex' from n",
    );
    const copied = run(["backup", copy], env);
    const partial = `${copy}.${SERVICE.name}-partial`;
    await expect.poll(() => existsSync(partial), { interval: 1 }).toBe(true);
    expect((await stat(partial)).mode & 0o777).toBe(0o600);
    expect((await copied).code).toBe(0);
    file.close();
    await chmod(path, 0o644);
    expect((await run(["restore", copy], env)).code).toBe(0);
    const modes = await modesIn(folder);
    expect(Object.keys(modes)).toHaveLength(3); // the database, the backup and the replaced file
    expect(new Set(Object.values(modes))).toEqual(new Set(["600"]));
  });
});

describe("the file of the bootstrap key", () => {
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
      const env = { DATABASE_URL, THINGS_ENV, [variableOf(BOOTSTRAP_KEY_FILE)]: await fileWith(KEY) };
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
    const env = {
      DATABASE_URL: await temporaryUrl(),
      THINGS_ENV: "production",
      [variableOf(BOOTSTRAP_KEY_FILE)]: file,
    };
    const program = await startProgram(await temporaryFolder(), env);
    const status = async (key: string): Promise<number> =>
      (await fetch(`${program.baseUrl}/things`, { headers: { Authorization: `Bearer ${key}` } })).status;
    const next = generateApiKey("production");
    expect([await status(KEY), await status(next)]).toEqual([200, 401]);
    await writeFile(file, "");
    program.child.kill("SIGUSR2");
    await expect.poll(() => program.output()).toContain('"msg":"the reload failed, ');
    expect(program.output()).toContain(`${variableOf(BOOTSTRAP_KEY_FILE)} names a file that is empty.`);
    await writeFile(file, next);
    program.child.kill("SIGUSR2");
    await expect.poll(() => status(next)).toBe(200);
    expect(await status(KEY)).toBe(200);
    expect(await program.stop()).toBe(0);
  });

  test("a key file that other users may read stops the start with one line", async (context) => {
    needsPosix(context, "file modes");
    const env = { DATABASE_URL: await temporaryUrl(), [variableOf(BOOTSTRAP_KEY_FILE)]: await fileWith(KEY, 0o644) };
    const { code, stdout, stderr } = await run(["serve"], env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(
      new RegExp(`^${variableOf(BOOTSTRAP_KEY_FILE)} names a file that users other than its owner .*\n$`),
    );
  });

  test("`keys generate` prints a valid bootstrap key without touching a database", async () => {
    const DATABASE_URL = "file:/dev/null/things.db";
    const { code, stdout } = await run(["keys", "generate"], { DATABASE_URL, THINGS_ENV: "production" });
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${SERVICE.keyPrefix}_live_\\w{49}\n$`));
    expect(await ensureBootstrapKey(await temporaryDatabase(), await fileWith(stdout), "production")).toBe(
      "registered",
    );
  });
});
