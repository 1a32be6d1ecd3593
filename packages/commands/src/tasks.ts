/** `node tasks.ts <task>…`: runs tasks of the packages through turbo. Its name is that of the script, such as `lint`. */
import { createProgram, runProgram } from "./command-line.ts";
import { addTurboOptions, runTurbo, type TurboOptions, turboArguments } from "./turbo.ts";

const program = createProgram(process.env["npm_lifecycle_event"] ?? "tasks", {
  description: "Runs tasks of the packages. Results of unchanged packages come from the cache.",
  folder: import.meta.dirname,
  examples: ["npx -y pnpm@12.21.0 lint --filter @platform/storage", "npx -y pnpm@12.21.0 typecheck --force"],
});
addTurboOptions(program)
  .argument("<tasks...>", "the tasks; a script names its own")
  .option("--continue", "go on after a task that fails")
  .action((tasks: string[], options: TurboOptions & { continue?: true }) => {
    const more = options.continue === true ? ["--continue"] : [];
    const { status } = runTurbo(["run", ...tasks, ...more, ...turboArguments(options)], { stdio: "inherit" });
    if (status !== 0) process.exitCode = 1;
  });

await runProgram(program);
