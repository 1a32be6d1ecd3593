import shared from "@platform/test-support/vitest-config";
import { defineConfig, mergeConfig } from "vitest/config";

const isLong = process.argv.some((argument) => argument.includes(".long.test"));

// A long test measures loads: a census beside it would take the processors in turns.
export default mergeConfig(shared, defineConfig({ test: { fileParallelism: !isLong } }));
