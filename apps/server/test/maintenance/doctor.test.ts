import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, test } from "vitest";
import type { Finding } from "../../src/maintenance/doctor.ts";
import { run } from "../program.ts";
import { temporaryFolder } from "../temporary.ts";

async function examined(env: NodeJS.ProcessEnv): Promise<{ code: number; findings: Finding[]; wrong: Finding[] }> {
  const { code, stdout, stderr } = await run(["doctor", "--json"], env);
  expect(stderr).toBe("");
  const findings = JSON.parse(stdout) as Finding[];
  return { code, findings, wrong: findings.filter(({ remedy }) => remedy !== undefined) };
}

describe("petstore doctor", () => {
  test("finds nothing wrong before the first start, and makes nothing", async () => {
    const folder = await temporaryFolder();
    const { code, findings, wrong } = await examined({ DATABASE_URL: `file:${folder}/data/petstore.db` });
    expect({ code, wrong }).toEqual({ code: 0, wrong: [] });
    expect(findings.map(({ check }) => check)).toEqual(["settings", "versions", "database", "disk"]);
    expect(await readdir(folder)).toEqual([]);
  });

  test("finds nothing wrong with a migrated database, in words", async () => {
    const env = { DATABASE_URL: `file:${await temporaryFolder()}/petstore.db` };
    await run(["migrate"], env);
    const { code, stdout } = await run(["doctor"], env);
    expect(code).toBe(0);
    const checks = ["settings", "versions", "database", "migrations", "disk"];
    expect(stdout.match(/^ok +\w+/gm)?.map((line) => line.split(/ +/)[1])).toEqual(checks);
  });

  test("names each bad setting, and not its value", async () => {
    const { code, wrong } = await examined({ PORT: "hunter2", LOG_LEVEL: "x" });
    expect(code).toBe(1);
    expect(wrong.map(({ check, remedy }) => [check, remedy?.split(" ")[0]])).toEqual([
      ["settings", "PORT"],
      ["settings", "LOG_LEVEL"],
    ]);
    expect(JSON.stringify(wrong)).not.toContain("hunter2");
  });

  test("finds a file that is no database, and migrations that are missing or unknown", async () => {
    const folder = await temporaryFolder();
    const file = join(folder, "petstore.db");
    const env = { DATABASE_URL: `file:${file}` };
    await writeFile(file, "no database at all, and long enough to be looked at".repeat(100));
    expect(await examined(env)).toMatchObject({ code: 1, wrong: [{ check: "database" }] });

    const other = join(folder, "other.db");
    new Sqlite(other).exec("create table t (x)").close();
    const pending = await examined({ DATABASE_URL: `file:${other}` });
    expect(pending).toMatchObject({
      code: 1,
      wrong: [{ check: "migrations", found: expect.stringContaining("0001_create_tables") }],
    });

    await run(["migrate"], { DATABASE_URL: `file:${other}` });
    new Sqlite(other).exec("insert into kysely_migration values ('9999_later', '')").close();
    const newer = await examined({ DATABASE_URL: `file:${other}` });
    expect(newer.wrong).toMatchObject([{ found: "unknown to this program: 9999_later" }]);
  });
});
