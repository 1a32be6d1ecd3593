/** The generator. */
export { type Config, ConfigError, defineConfig, type OperationConfig, type Pages } from "./config.ts";
export { loadContract, type Contract } from "./contract-source.ts";
export { generatedFiles } from "./generated-files.ts";
export { generate, main } from "./main.ts";
export { Refusal } from "./operations.ts";
