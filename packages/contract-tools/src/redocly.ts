import { execFile } from "node:child_process";
import { resolve } from "node:path";

/** The root of the repository. */
export const ROOT = resolve(import.meta.dirname, "../../..");

/** The contract as it is written. */
export const CONTRACT_FILE = resolve(ROOT, "openapi/openapi.yaml");

/** The rules it is held to. */
export const LINT_CONFIG = resolve(ROOT, "openapi/redocly.yaml");

/** What Redocly's command line said. */
export interface Said {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Runs Redocly's command line from the root of the repository, which the paths it prints are relative to. */
export function redocly(words: string[], signal?: AbortSignal): Promise<Said> {
  const program = `node_modules/.bin/redocly${process.platform === "win32" ? ".cmd" : ""}`;
  const options = {
    cwd: ROOT,
    env: { ...process.env, NO_COLOR: "1", REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    maxBuffer: 2 ** 28,
    ...(signal && { signal }),
  };
  return new Promise((done, failed) => {
    const child = execFile(resolve(import.meta.dirname, "..", program), words, options, (error, stdout, stderr) => {
      if (child.exitCode === null) failed(error ?? new Error("Redocly was stopped."));
      else done({ exitCode: child.exitCode, stdout, stderr });
    });
  });
}
