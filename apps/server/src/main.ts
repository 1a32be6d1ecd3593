import { runCommandLine } from "@openapi-operations/api-keys/program";
import { DEFINITION } from "./definition.ts";

await runCommandLine({
  ...DEFINITION,
  folder: import.meta.dirname,
  loadProgram: async (config) => (await import("./server.ts")).serviceProgram(config),
});
