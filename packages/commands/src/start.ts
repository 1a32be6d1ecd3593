/** `pnpm start`: updates the generated files, prints output only if that fails, then runs the server in this process. */
import { ancestorsUpToNpx } from "./ancestors.ts";
import { createProgram } from "./command-line.ts";
import { runTurbo } from "./turbo.ts";

/** How often this checks whether npx still runs, in milliseconds. */
const CHECK_INTERVAL_MS = 1_000;

createProgram("start", {
  description: "Generates if the contract has changed, and starts the service. Settings are environment variables.",
  folder: import.meta.dirname,
  examples: ["npx -y pnpm@12.21.0 start"],
}).parse();

const ancestors = ancestorsUpToNpx();
const { status, stdout, stderr } = runTurbo(["run", "generate"], { stdio: "pipe" });
if (status === 0) {
  // npm forwards a signal only to its shell, so pnpm and this process would go on. The service stops on "disconnect", as if
  // its parent process had ended.
  const timer = setInterval(() => {
    if (!ancestors.areAlive()) process.emit("disconnect");
  }, CHECK_INTERVAL_MS);
  timer.unref();
  process.argv.push("serve");
  await import(new URL("../../../apps/server/bin/service.js", import.meta.url).href);
} else {
  console.error(stdout + stderr);
  process.exitCode = 1;
}
