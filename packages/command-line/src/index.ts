export { InvalidArgumentError } from "commander";
export { isDuration, parseDuration, parseTime, wholeNumber } from "./arguments.ts";
export { isoDate, printJson, printTable } from "./print.ts";
export { createProgram, type ProgramDescription, runProgram, type RunOptions } from "./program.ts";
