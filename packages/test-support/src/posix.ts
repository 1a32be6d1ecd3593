import { statSync } from "node:fs";
import type { TestContext } from "vitest";

/** Whether the system has file modes, signals and named pipes, and renames open files. Windows has none of these. */
export const isPosix = process.platform !== "win32";

/** Skips a test on Windows, and names the feature that Windows does not have. */
export function needsPosix(context: TestContext, feature: string): void {
  context.skip(!isPosix, `Windows has no ${feature}`);
}

/** Whether only the owner may read and write a file. On Windows this follows from the folder, so the result is true. */
export function isOwnerOnly(path: string): boolean {
  return !isPosix || (statSync(path).mode & 0o777) === 0o600;
}
