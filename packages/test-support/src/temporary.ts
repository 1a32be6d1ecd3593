import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject, onTestFinished, type TestContext } from "vitest";
import { isPosix } from "./machine.ts";
import { createDatabase } from "./postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The PostgreSQL server of the tests; without it, they use SQLite. */
    postgresUrl?: string;
  }
}

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

/** Returns the URL of an empty database: a file that does not exist yet, or one on the tests' PostgreSQL server. */
export async function temporaryUrl(): Promise<string> {
  const { url, drop } = await newDatabase();
  onTestFinished(drop);
  return url;
}

/** The same, with a function to drop it; it is not dropped after the test. */
export async function newDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const server = inject("postgresUrl");
  if (server !== undefined) return createDatabase(server);
  const folder = await mkdtemp(join(tmpdir(), "test-"));
  return { url: `file:${folder}/test.db`, drop: () => remove(folder) };
}
