import { runCommandLine } from "../../../src/program.ts";
import { SCHEMA } from "../../tables.ts";
import { readConfig, SCOPES } from "../config.ts";

/** The whole service as a program, with its commands. */
await runCommandLine({
  version: "1.2.3",
  scopes: SCOPES,
  schema: SCHEMA,
  schemes: { bearerAuth: "apiKey" },
  readConfig,
  folder: import.meta.dirname,
  loadProgram: async (config) => {
    const { thingsService } = await import("../things.ts");
    return { ...thingsService(config), path: import.meta.filename };
  },
});
