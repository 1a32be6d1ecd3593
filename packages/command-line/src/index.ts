export { InvalidArgumentError } from "commander";
export { isDuration, parseDuration, parseTime, wholeNumber } from "./arguments.ts";
export { formatBytes, isoDate, printJson, printTable, visible } from "./print.ts";
export { createProgram, PNPM, type ProgramDescription, runProgram, type RunOptions } from "./program.ts";
export { withProgress } from "./progress.ts";
export type { Report } from "./progress-line.ts";
