import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { resolve } from "node:path";

/** The root of the repository. */
export const ROOT = resolve(import.meta.dirname, "../../..");

/** The source file of the contract. */
export const CONTRACT_FILE = resolve(ROOT, "openapi/openapi.yaml");

/** The configuration of the contract's lint rules. */
export const LINT_CONFIG = resolve(ROOT, "openapi/redocly.yaml");

/** The exit code and the output of a command. */
export interface CommandResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Runs Redocly's command line from the root of the repository. The paths that it prints are relative to the root. */
export function redocly(args: string[], signal?: AbortSignal): Promise<CommandResult> {
  const program = createRequire(import.meta.url).resolve("@redocly/cli/bin/cli.js");
  const options = {
    cwd: ROOT,
    env: { ...process.env, NO_COLOR: "1", REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    maxBuffer: 2 ** 28,
    ...(signal && { signal }),
  };
  return new Promise((done, failed) => {
    const child = execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) => {
      if (child.exitCode === null) failed(error ?? new Error("Redocly was stopped."));
      else done({ exitCode: child.exitCode, stdout, stderr });
    });
  });
}
