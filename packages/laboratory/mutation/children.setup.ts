import { ChildProcess } from "node:child_process";
import { inject } from "vitest";

/** Stryker's code reads the active mutant from this variable where Vitest does not run. */
const ACTIVE = "__STRYKER_ACTIVE_MUTANT__";
const provided = inject as unknown as (name: string) => string | undefined;
const mutant = provided("activeMutant");

/** Stryker skips mutants without coverage, and child processes report none. Without any coverage, it runs all tests. */
const namespace = ((globalThis as unknown as Record<string, object | undefined>)[provided("globalNamespace")!] ??= {});
Object.defineProperty(namespace, "mutantCoverage", { get: () => undefined, set: () => {}, configurable: true });

if (mutant !== undefined && process.env[ACTIVE] === undefined) {
  const prototype = ChildProcess.prototype as unknown as { spawn: (options: { envPairs: string[] }) => unknown };
  const { spawn } = prototype;
  /** Adds the variable also to an environment that a test has made. */
  prototype.spawn = function (options) {
    options.envPairs.push(`${ACTIVE}=${process.env[ACTIVE]}`);
    return spawn.call(this, options);
  };
}
if (mutant !== undefined) process.env[ACTIVE] = mutant;
