/** `pnpm bench <subject>`: measures a part of the repository. Each subject is a program with options of its own. */
import { PNPM, createProgram, runProgram } from "@openapi-operations/command-line";

const program = createProgram("bench", {
  description: "Measures a part of the repository, beside what others use for it.",
  folder: import.meta.dirname,
  examples: [`${PNPM} bench service stacks --rounds 3`, `${PNPM} bench streams 3 download`],
})
  .executableDir(import.meta.dirname)
  .command("service", "the petstore beside Fastify, Hono, Express, Go and axum, and on PostgreSQL", {
    executableFile: "service/main.ts",
  })
  .command("express-operations", "requests, starts, memory, types, forms and JSON", {
    executableFile: "express-operations/main.ts",
  })
  .command("streams", "streams and uploads of express-operations", {
    executableFile: "peers/streams/main.ts",
  })
  .command("fetch-operations", "calls, bundles and imports of clients", { executableFile: "fetch-operations/main.ts" })
  .command("comparison", "changes that `contract diff` and oasdiff rate right", {
    executableFile: "comparison/main.ts",
  })
  .command("tools", "the time of the commands on a contract, beside Redocly, hey-api and Prism", {
    executableFile: "tools/main.ts",
  });

await runProgram(program);
