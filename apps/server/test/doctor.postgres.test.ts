import { migrate } from "@platform/storage/migrations";
import { execute } from "@platform/test-support/postgres";
import { temporaryUrl } from "@platform/test-support/temporary";
import { expect, test } from "vitest";
import { examine } from "../src/doctor.ts";
import { MIGRATIONS } from "../src/migrations.ts";
import { opened } from "./temporary.ts";

async function found(url: string, check: string) {
  const findings = await examine({ DATABASE_URL: url, PORT: "1" });
  return findings.find((finding) => finding.check === check);
}

test("petstore doctor checks a PostgreSQL database and its migrations", async () => {
  const url = await temporaryUrl();
  expect(await found(url, "migrations")).toMatchObject({ remedy: expect.stringContaining("petstore migrate") });
  await migrate(opened(url), MIGRATIONS);
  expect(await found(url, "migrations")).toEqual({ check: "migrations", found: "all applied" });
});

test("petstore doctor reports a PostgreSQL database that may lose acknowledged writes or cannot be reached", async () => {
  const url = await temporaryUrl();
  const { pathname } = new URL(url);
  const before = await found(url, "database"); // fsync is off on the tests' own server
  expect(before!.found).toMatch(/^PostgreSQL \d+\.\d+( \(.*\))?( with fsync off)?$/);
  await execute(url, `alter database ${pathname.slice(1)} set synchronous_commit = off`);
  expect(await found(url, "database")).toMatchObject({
    found: expect.stringMatching(/ (with|off,) synchronous_commit off$/),
    remedy: expect.stringContaining("may be lost"),
  });
  expect(await found(Object.assign(new URL(url), { port: "1" }).href, "database")).toMatchObject({
    found: "cannot be used",
    remedy: expect.stringContaining("Check that its server runs"),
  });
});

test("petstore doctor reports several hosts without a synchronous standby", async () => {
  const url = await temporaryUrl();
  const { host } = new URL(url);
  const finding = await found(url.replace(host, `${host},${host}`), "database");
  expect(finding).toMatchObject({
    found: expect.stringMatching(/ (with|off,) synchronous_standby_names empty$/),
    remedy: expect.stringContaining("Name a standby in synchronous_standby_names"),
  });
});
