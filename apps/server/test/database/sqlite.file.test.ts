import { expect, test } from "vitest";
import { refuseOldSqlite } from "../../src/database/sqlite.file.ts";

test.each(["3.51.3", "3.51.10", "3.54.1", "4.0.0"])("SQLite %s is used", (version) => {
  expect(() => refuseOldSqlite(version)).not.toThrow();
});

test.each(["3.7.0", "3.46.1", "3.51.2"])("SQLite %s, which may damage a database, is refused", (version) => {
  expect(() => refuseOldSqlite(version)).toThrow(`SQLite ${version} may damage a database; 3.51.3 or later is needed`);
});
