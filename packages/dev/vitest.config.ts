import { defineConfig, mergeConfig } from "vitest/config";
import shared from "../repo-checks/vitest.config.ts";

/** One loop after the other, in one clone. */
export default mergeConfig(
  shared,
  defineConfig({ test: { fileParallelism: false, globalSetup: "test/clone.setup.ts" } }),
);
