import { execute } from "@platform/test-support/postgres";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { temporaryUrl } from "../src/testing/temporary.ts";
import { examineDatabase } from "../src/maintenance/examine.ts";
import { migrate } from "../src/migrations.ts";
import { MIGRATIONS, opened } from "./things.ts";

const FSYNC_OFF = "Turn fsync on, or acknowledged writes may be lost.";

test("examineDatabase reports the migrations of a PostgreSQL database, but not its disk", async () => {
  const url = await temporaryUrl();
  expect(await examineDatabase(url, MIGRATIONS)).toMatchObject({
    migrations: { found: `to be applied: ${Object.keys(MIGRATIONS).join(", ")}` },
  });
  await migrate(opened(url), MIGRATIONS);
  const examined = await examineDatabase(url, MIGRATIONS);
  expect(Object.keys(examined)).toEqual(["database", "migrations"]);
  expect(examined.migrations).toEqual({ found: "all applied" });
});

test("examineDatabase reports each PostgreSQL setting that may lose acknowledged writes", async () => {
  const url = await temporaryUrl();
  const name = new URL(url).pathname.slice(1);
  const fsync = await settingOf(url, "fsync"); // off on the server of the tests
  const { database } = await examineDatabase(url, MIGRATIONS);
  expect(database.found).toMatch(fsync === "off" ? /^PostgreSQL \d+\.\d+.* with fsync off$/ : /^PostgreSQL [^,]*$/);
  expect(database.remedy).toBe(fsync === "off" ? FSYNC_OFF : undefined);
  for (const value of ["off", "local", "remote_write"]) {
    await execute(url, `alter database ${name} set synchronous_commit = ${value}`);
    const { found } = (await examineDatabase(url, MIGRATIONS)).database;
    expect(found.includes("synchronous_commit off")).toBe(value === "off");
    expect(found).not.toContain(`synchronous_commit ${value === "off" ? "on" : value}`);
  }
});

test("examineDatabase reports a PostgreSQL server that cannot be reached", async () => {
  const url = Object.assign(new URL(await temporaryUrl()), { port: "1" }).href;
  expect(await examineDatabase(url, MIGRATIONS)).toEqual({
    database: { found: "cannot be used", remedy: expect.stringContaining("Check that its server runs") },
  });
});

async function settingOf(url: string, name: string): Promise<string> {
  const { rows } = await sql<{ value: string }>`select current_setting(${name}) as value`.execute(opened(url));
  return rows[0]!.value;
}

test("examineDatabase leaves no connection behind", async () => {
  const url = await temporaryUrl();
  const connections = async () =>
    (
      await sql<{ n: string }>`
      select count(*)::int as n from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(db)
    ).rows[0]!.n;
  const db = opened(url);
  await examineDatabase(url, MIGRATIONS);
  await expect.poll(connections, { timeout: 5_000 }).toBe(0); // the server ends a connection after the client does
});
