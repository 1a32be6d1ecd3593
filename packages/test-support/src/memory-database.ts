import Sqlite from "better-sqlite3";
import { onTestFinished } from "vitest";

/** A SQLite database in memory, after these statements; it is closed after the test. */
export function memoryDatabase(...statements: string[]): Sqlite.Database {
  const file = new Sqlite(":memory:");
  onTestFinished(() => void file.close());
  return file.exec(statements.join(";\n"));
}
