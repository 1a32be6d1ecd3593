import { join } from "node:path";
import * as support from "@platform/test-support/program";

/** The path of a program of the tests, by its name in `programs`. */
export const pathOf = (program: string): string => join(import.meta.dirname, `programs/${program}.ts`);

/** What a program needs of this environment, beside settings of its own. */
export const environment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
  SHUTDOWN_DELAY: "0",
  ...env,
});

/** Starts a service of things as a program of its own, which has ended when the test is finished. */
export function startProgram(env: NodeJS.ProcessEnv, program = "things"): Promise<support.Program> {
  return support.startProgram([process.execPath, pathOf(program)], { env: environment(env) });
}
