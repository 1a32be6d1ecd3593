import { symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isPosix, needsPosix } from "@platform/test-support/machine";
import { temporaryFolder } from "@platform/test-support/temporary";
import { describe, expect, test } from "vitest";
import { limitsOf, setLocally } from "../src/postgres/limits.ts";
import { hostUrlsOf, isDatabaseUrl, isPostgresUrl, pathOfFileUrl, realPathOf } from "../src/url.ts";

describe("URLs", () => {
  test.each([
    "file:data/petstore.db",
    "file:/srv/petstore.db",
    pathToFileURL("/srv/pet store.db").href,
    "file:./file://x",
    "postgres://user:password@host:5432/petstore",
    "POSTGRESQL://host/petstore",
    "postgres:///petstore?host=/run/postgresql",
    "postgres://user:password@one:5432,two/petstore?target_session_attrs=read-write",
  ])("%s is a database URL", (url) => {
    expect(isDatabaseUrl(url)).toBe(true);
  });

  test.each([
    "",
    "data/petstore.db",
    "file:",
    "file::memory:",
    "file:data/",
    "file:data\\",
    "file:petstore.db?mode=ro",
    "file:petstore.db#a",
    isPosix ? "file://elsewhere/petstore.db" : "file:", // on Windows, a shared folder
    "file:///",
    " file:petstore.db",
    "postgres://host",
    "postgres://host/",
    "postgres://host/a/b",
    "postgres:petstore",
    "mypostgres://host/petstore",
    "postgres://one,,two/petstore",
    "postgres://one,two:0x/petstore",
    "postgres://host/petstore?target_session_attrs=standby",
    "mysql://host/petstore",
  ])("%j is not a database URL", (url) => {
    expect(isDatabaseUrl(url)).toBe(false);
  });

  test("the path of a file: URL is decoded only if the URL starts with file://", () => {
    const path = resolve("/srv/pet store.db");
    expect(pathOfFileUrl(pathToFileURL(path).href)).toBe(path);
    expect(pathOfFileUrl("file:data/pet%20store.db")).toBe("data/pet%20store.db");
    expect(pathOfFileUrl("file:/srv/petstore.db")).toBe("/srv/petstore.db");
  });

  test("realPathOf follows a link, and returns the absolute path of a missing file", async (context) => {
    needsPosix(context, "links without privileges");
    const folder = await temporaryFolder();
    await writeFile(join(folder, "petstore.db"), "");
    await symlink(join(folder, "petstore.db"), join(folder, "link.db"));
    expect(realPathOf(join(folder, "link.db"))).toBe(join(folder, "petstore.db"));
    expect(realPathOf("none/petstore.db")).toBe(resolve("none/petstore.db"));
  });

  test.each([
    ["postgres://host/petstore", ["postgres://host/petstore"]],
    ["postgres:///petstore?host=/run", ["postgres:///petstore?host=/run"]],
    [
      "postgresql://a,b:c@d@one:1,[::1]:2/petstore?x=y,z",
      ["postgresql://a,b:c@d@one:1/petstore?x=y,z", "postgresql://a,b:c@d@[::1]:2/petstore?x=y,z"],
    ],
  ])("hostUrlsOf returns one URL for each host of %s", (url, urls) => {
    expect(hostUrlsOf(url)).toEqual(urls);
  });

  test("PostgreSQL is recognized by the scheme alone", () => {
    expect(["postgres:", "postgresql:x", "PostgreS://h"].map(isPostgresUrl)).toEqual([true, true, true]);
    expect(["file:postgres:", "postgresqlx:", "postgre:"].map(isPostgresUrl)).toEqual([false, false, false]);
  });
});

describe("the targets of a URL of PostgreSQL", () => {
  const DEFAULTS = { statement_timeout: 4_000, lock_timeout: 2_000, idle_in_transaction_session_timeout: 4_000 };

  test.each([
    ["postgres://host/petstore", {}, "postgres://host/petstore"],
    ["postgres://one,two/petstore?statement_timeout=0", { statement_timeout: 0 }, "postgres://one,two/petstore"],
    [
      "postgres:///petstore?host=/run/postgresql&lock_timeout=7&idle_in_transaction_session_timeout=9",
      { lock_timeout: 7, idle_in_transaction_session_timeout: 9 },
      `postgres:///petstore?host=${encodeURIComponent("/run/postgresql")}`,
    ],
  ])("limitsOf splits %s", (url, given, rest) => {
    expect(limitsOf(url)).toEqual({ limits: { ...DEFAULTS, ...given }, rest });
  });

  test("setLocally sets each limit until the end of the transaction", () => {
    expect(setLocally(DEFAULTS)).toBe(
      "set local statement_timeout = 4000; set local lock_timeout = 2000; set local idle_in_transaction_session_timeout = 4000",
    );
  });
});
