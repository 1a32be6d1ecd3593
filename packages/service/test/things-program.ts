import { join } from "node:path";
import * as support from "@platform/test-support/program";

/** Returns the path of a program in `programs`. */
export const pathOf = (program: string): string => join(import.meta.dirname, `programs/${program}.ts`);

/** Returns the environment of a program: its settings, and the variables that it needs from this process. */
export const environment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
  SHUTDOWN_DELAY: "0",
  ...env,
});

/** Starts a service of things as a separate program, which ends with the test. */
export function startProgram(env: NodeJS.ProcessEnv, program = "things"): Promise<support.Program> {
  return support.startProgram([process.execPath, pathOf(program)], { env: environment(env) });
}
