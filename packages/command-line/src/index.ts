export { InvalidArgumentError } from "commander";
export { wholeNumber } from "./arguments.ts";
export { createProgram, type ProgramDescription, runProgram, type RunOptions } from "./program.ts";
export { withProgress } from "./progress.ts";
export type { Report } from "./progress-step.ts";
