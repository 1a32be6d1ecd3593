/** `node tasks.ts <task>…`: runs tasks of the packages through turbo. */
import { runTurbo } from "./turbo.ts";

const { status, error } = runTurbo(["run", ...process.argv.slice(2)], { stdio: "inherit" });
if (error !== undefined)
  console.error(`turbo cannot be run (${error.message}). Run \`npx -y pnpm@12.21.0 install\` first.`);
process.exitCode = status ?? 1;
