import shared from "@platform/test-support/vitest-config";
import { defineConfig, mergeConfig } from "vitest/config";

// `dist` has a test of the petstore. The long tests pack the same packages, whose builds would remove each other's files.
export default mergeConfig(shared, defineConfig({ test: { dir: "test", fileParallelism: false } }));
