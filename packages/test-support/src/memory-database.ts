import Sqlite from "better-sqlite3";
import { onTestFinished } from "vitest";

/** Opens a SQLite database in memory, runs the statements, and closes it after the test. */
export function memoryDatabase(...statements: string[]): Sqlite.Database {
  const file = new Sqlite(":memory:");
  onTestFinished(() => void file.close());
  return file.exec(statements.join(";\n"));
}
