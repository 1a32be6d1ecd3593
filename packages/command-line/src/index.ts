export { InvalidArgumentError } from "commander";
export { wholeNumber } from "./arguments.ts";
export { createProgram, type ProgramDescription, runProgram, type RunOptions } from "./program.ts";
