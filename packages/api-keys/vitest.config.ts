import { availableParallelism } from "node:os";
import { databaseProjects } from "@platform/test-support/database-projects";
import shared from "@platform/test-support/vitest-config";
import { defineConfig, mergeConfig } from "vitest/config";

const EVERY_DATABASE = [
  "audit.repository",
  "expired-responses",
  "idempotent",
  "keys.repository",
  "rate-limits",
  "service/creators",
  "service/lost-answers.long",
  "service/paths",
  "service/security/api-top-ten",
  "service/sharing.long",
  "service/starts",
  "service/starts.long",
].map((name) => `test/${name}.test.ts`);

export default mergeConfig(
  shared,
  defineConfig({
    test: {
      maxWorkers: 2 * availableParallelism(), // many tests wait for processes of their own
      projects: await databaseProjects(EVERY_DATABASE),
    },
  }),
);
