import { availableParallelism } from "node:os";
import { databaseProjects } from "@platform/test-support/database-projects";
import shared from "@platform/test-support/vitest-config";
import { defineConfig, mergeConfig } from "vitest/config";

const EVERY_DATABASE = ["database/earlier-databases", "monitoring/metrics", "upgrade/upgrade.long"].map(
  (name) => `test/${name}.test.ts`,
);
/** Those of the operations run through the test of drift. */
const OPERATIONS = ["test/conformance.test.ts", "test/pets/**"];

export default mergeConfig(
  shared,
  defineConfig({
    test: {
      maxWorkers: 2 * availableParallelism(), // many tests wait for processes of their own
      globalSetup: "test/program.setup.ts",
      projects: await databaseProjects(EVERY_DATABASE, OPERATIONS),
    },
  }),
);
