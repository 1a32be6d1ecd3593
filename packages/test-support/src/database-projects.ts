import { fileURLToPath } from "node:url";
import type { TestProjectConfiguration } from "vitest/config";
import { postgresUnavailable } from "./postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Why there is no PostgreSQL server for the tests. */
    absence?: string;
  }
}

const POSTGRES = "test/**/*.postgres.test.ts";
const ABSENCE = fileURLToPath(import.meta.resolve("./postgres-absence.ts"));
const SETUP = fileURLToPath(import.meta.resolve("./postgres.setup.ts"));

/**
 * A package's tests as two projects: all of them on SQLite, and after them on PostgreSQL those that hold for every
 * database a second time, with those of `*.postgres.test.ts`. Where PostgreSQL does not run, one skipped test says why.
 */
export async function databaseProjects(
  everyDatabase: string[],
  exceptOnPostgres: string[] = [],
): Promise<TestProjectConfiguration[]> {
  const absence = process.env["TEST_DATABASE_URL"] ? undefined : await postgresUnavailable();
  return [
    { extends: true, test: { name: "sqlite", exclude: ["**/node_modules/**", POSTGRES] } },
    absence === undefined
      ? {
          extends: true,
          test: {
            name: "postgres",
            include: [...everyDatabase, POSTGRES],
            exclude: ["**/*.sqlite.test.ts", ...exceptOnPostgres],
            globalSetup: SETUP,
          },
        }
      : { extends: true, test: { name: "postgres", include: [ABSENCE], provide: { absence } } },
  ];
}
