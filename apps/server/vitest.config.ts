import { availableParallelism } from "node:os";
import shared from "@platform/test-support/vitest-config";
import { defineConfig, mergeConfig } from "vitest/config";
import { postgresUnavailable } from "./test/postgres.ts";

/** The tests that hold for every database. */
const PORTABLE = [
  "app",
  "database/earlier-databases",
  "database/migrations",
  "database/storage",
  "idempotency/*",
  "keys/audit.repository",
  "keys/keys.repository",
  "keys/sharing",
  "rate-limits",
  "security/api-top-ten",
  "starts",
].map((name) => `test/${name}.test.ts`);
/** Those of the operations run through the test of drift. */
const OPERATIONS = ["test/conformance.test.ts", "test/pets/**"];
const POSTGRES = ["test/**/*.postgres.test.ts"];
const ABSENCE = "test/postgres-absence.test.ts";

const absence = process.env["TEST_DATABASE_URL"] ? undefined : await postgresUnavailable();

/** All tests run on SQLite, and after them those that hold for every database a second time on PostgreSQL. */
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      maxWorkers: 2 * availableParallelism(), // many tests wait for processes of their own
      globalSetup: "test/program.setup.ts",
      projects: [
        { extends: true, test: { name: "sqlite", exclude: ["**/node_modules/**", ...POSTGRES, ABSENCE] } },
        absence === undefined
          ? {
              extends: true,
              test: {
                name: "postgres",
                include: [...PORTABLE, ...POSTGRES],
                exclude: ["**/*.sqlite.test.ts", ...OPERATIONS],
                globalSetup: "test/postgres.setup.ts",
              },
            }
          : { extends: true, test: { name: "postgres", include: [ABSENCE], provide: { absence } } },
      ],
    },
  }),
);
