import { fileURLToPath } from "node:url";
import type { TestProjectConfiguration } from "vitest/config";
import { postgresUnavailable } from "./postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Why the tests have no PostgreSQL server. */
    absence?: string;
  }
}

const POSTGRES = ["test/**/*.postgres.test.ts", "test/**/*.postgres.long.test.ts"];
const ABSENCE = fileURLToPath(import.meta.resolve("./postgres-absence.ts"));
const SETUP = fileURLToPath(import.meta.resolve("./postgres.setup.ts"));

/**
 * Returns two Vitest projects: `sqlite` runs all tests on SQLite, `postgres` runs those in `everyDatabase` again on
 * PostgreSQL, and `*.postgres.test.ts`. Without PostgreSQL, one skipped test gives the reason.
 */
export async function databaseProjects(
  everyDatabase: string[],
  exceptOnPostgres: string[] = [],
): Promise<TestProjectConfiguration[]> {
  const absence = process.env["TEST_DATABASE_URL"] ? undefined : await postgresUnavailable();
  return [
    { extends: true, test: { name: "sqlite", exclude: ["**/node_modules/**", ...POSTGRES] } },
    absence === undefined
      ? {
          extends: true,
          test: {
            name: "postgres",
            include: [...everyDatabase, ...POSTGRES],
            exclude: ["**/*.sqlite.test.ts", ...exceptOnPostgres],
            globalSetup: SETUP,
          },
        }
      : { extends: true, test: { name: "postgres", include: [ABSENCE], provide: { absence } } },
  ];
}
