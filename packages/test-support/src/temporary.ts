import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, type TestContext } from "vitest";
import { isPosix } from "./machine.ts";

/** Creates a folder and removes it after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "test-"));
  onTestFinished(() => remove(folder));
  return folder;
}

/** Removes a folder. Windows keeps a file that a test has not closed, so nothing is removed there in that case. */
async function remove(folder: string): Promise<void> {
  await rm(folder, { recursive: true }).catch((error: unknown) => {
    if (isPosix) throw error;
  });
}

/** Creates a folder on a separate disk of so many bytes. Skips the test if no disk can be mounted. */
export async function temporaryDisk(context: TestContext, bytes: number): Promise<string> {
  const folder = await temporaryFolder();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", folder], { stdio: "pipe" });
  } catch (error) {
    return context.skip(`no tmpfs can be mounted here: ${(error as Error).message.split("\n")[1]}`);
  }
  onTestFinished(() => void execFileSync("umount", ["--lazy", folder]));
  return folder;
}
