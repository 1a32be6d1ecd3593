export { InvalidArgumentError } from "commander";
export * from "./program.ts";
export { type Report, withProgress } from "./progress.ts";
