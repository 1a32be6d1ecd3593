import { resolve } from "node:path";
import { SERVICE } from "@openapi-operations/command-line/name";
import Sqlite from "better-sqlite3";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { temporaryUrl } from "../src/testing/temporary.ts";
import { addFilePath, DatabaseError, isBusy, isDatabaseUnavailable, openError } from "../src/database-error.ts";
import { migrate } from "../src/migrations.ts";
import { pathOfFileUrl } from "../src/url.ts";
import { MIGRATIONS, opened } from "./things.ts";

const PATH = "/data/petstore.db";
const failure = (code: string) => new Sqlite.SqliteError("what SQLite says", code);

const DAMAGED = `is damaged (what SQLite says). Stop the service, run \`${SERVICE.name} doctor\`, and replace the file with a backup: \`${SERVICE.name} restore <backup>\`.`;
const FULL = "cannot grow (what SQLite says). Free some space on its disk; the service then recovers by itself.";
const UNREADABLE = `cannot be read or written (what SQLite says). Run \`${SERVICE.name} doctor\`, and check that its disk works.`;
const NOT_OPENED =
  "cannot be opened (what SQLite says). Check that it is a SQLite database that this user may read and write, or set DATABASE_URL to another file.";

/** Result codes and extended result codes of https://sqlite.org/rescode.html. */
const OUTAGES: [code: string, said: string][] = [
  ["SQLITE_CORRUPT", DAMAGED],
  ["SQLITE_CORRUPT_INDEX", DAMAGED],
  ["SQLITE_CORRUPT_SEQUENCE", DAMAGED],
  ["SQLITE_CORRUPT_VTAB", DAMAGED],
  ["SQLITE_FULL", FULL],
  ["SQLITE_CANTOPEN", UNREADABLE],
  ["SQLITE_CANTOPEN_ISDIR", UNREADABLE],
  ["SQLITE_IOERR", UNREADABLE],
  ["SQLITE_IOERR_FSYNC", UNREADABLE],
  ["SQLITE_IOERR_SHORT_READ", UNREADABLE],
  ["SQLITE_NOTADB", UNREADABLE],
  ["SQLITE_READONLY", UNREADABLE],
  ["SQLITE_READONLY_DBMOVED", UNREADABLE],
];

describe("the error of an outage names the file and the remedy:", () => {
  test.each(OUTAGES)("%s", (code, said) => {
    const cause = failure(code);
    const error = addFilePath(PATH, cause) as Error;
    expect(error).toBeInstanceOf(DatabaseError);
    expect(error.message).toBe(`The database file ${PATH} ${said}`);
    expect(error.cause).toBe(cause);
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(isDatabaseUnavailable(cause)).toBe(true);
  });

  test.each(OUTAGES)("%s, while the file is opened", (code, said) => {
    expect(openError(PATH, failure(code)).message).toBe(
      `The database file ${PATH} ${said === DAMAGED ? DAMAGED : NOT_OPENED}`,
    );
  });
});

test.each(["SQLITE_CONSTRAINT_CHECK", "SQLITE_ERROR", "SQLITE_MISUSE", "SQLITE_TOOBIG"])(
  "%s is a mistake in a query, and is not changed",
  (code) => {
    const error = failure(code);
    expect(addFilePath(PATH, error)).toBe(error);
    expect(isDatabaseUnavailable(error)).toBe(false);
    expect(isBusy(error)).toBe(false);
  },
);

test.each(["SQLITE_BUSY", "SQLITE_BUSY_RECOVERY", "SQLITE_BUSY_SNAPSHOT", "SQLITE_BUSY_TIMEOUT"])(
  "isBusy is true for %s, and the error is not changed",
  (code) => {
    expect(isBusy(failure(code))).toBe(true);
    expect(isDatabaseUnavailable(failure(code))).toBe(true);
    expect(addFilePath(PATH, failure(code))).toBeInstanceOf(Sqlite.SqliteError);
  },
);

test("an error of another class with the code of an outage is not an outage", () => {
  const error = Object.assign(new Error("no"), { code: "SQLITE_CORRUPT" });
  expect(addFilePath(PATH, error)).toBe(error);
  expect(isDatabaseUnavailable(error)).toBe(false);
  expect(isBusy(Object.assign(new Error("no"), { code: "SQLITE_BUSY" }))).toBe(false);
});

test("an extended result code for damage is reported as damage", async () => {
  const url = await temporaryUrl();
  const first = opened(url);
  await migrate(first, MIGRATIONS);
  await first.destroy();
  addPastIndex(pathOfFileUrl(url));
  const db = opened(url);
  const error = await sql`update things set size = 2`.execute(db).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DatabaseError);
  expect(error).toMatchObject({
    message: `The database file ${resolve(pathOfFileUrl(url))} ${DAMAGED.replace("what SQLite says", "database disk image is malformed")}`,
    cause: { code: "SQLITE_CORRUPT_INDEX" },
  });
});

/** Adds a thing through a connection that does not know the index, so that the index lacks it. */
function addPastIndex(path: string): void {
  const hiding = new Sqlite(path).unsafeMode();
  hiding.pragma("writable_schema = on");
  const entry = hiding.prepare("select * from sqlite_master where name = 'things_size'").raw().get();
  hiding.exec("delete from sqlite_master where name = 'things_size'").close();
  const adding = new Sqlite(path);
  adding.exec("insert into things (name, size) values ('cup', 1)");
  adding.unsafeMode().pragma("writable_schema = on");
  adding.prepare("insert into sqlite_master values (?, ?, ?, ?, ?)").run(entry);
  adding.close();
}
