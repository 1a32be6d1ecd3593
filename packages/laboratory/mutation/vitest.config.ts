import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { mergeConfig, type ViteUserConfig } from "vitest/config";

/** The configuration of the package in the working directory, for Stryker: child processes run the mutant too. */
const own = (await import(pathToFileURL(join(process.cwd(), "vitest.config.ts")).href)) as { default: ViteUserConfig };

export default mergeConfig(own.default, { test: { setupFiles: [join(import.meta.dirname, "children.setup.ts")] } });
