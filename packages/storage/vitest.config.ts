import { databaseProjects } from "@platform/test-support/database-projects";
import shared from "@platform/test-support/vitest-config";
import { defineConfig, mergeConfig } from "vitest/config";

const EVERY_DATABASE = ["migrations", "storage"].map((name) => `test/${name}.test.ts`);

export default mergeConfig(shared, defineConfig({ test: { projects: await databaseProjects(EVERY_DATABASE) } }));
