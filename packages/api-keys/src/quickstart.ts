import { randomUUID } from "node:crypto";
import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { SETTINGS_PREFIX } from "@platform/command-line/name";
import { ConfigError } from "@platform/service/settings";
import type { Kysely } from "kysely";
import { createApiKey, EVERY_SCOPE, findApiKey } from "./keys.repository.ts";
import type { ApiKeysTables } from "./keys.table.ts";

const OWNER_ONLY = 0o600;

/**
 * Ensures that the file contains a valid key of this database with all these scopes, and that only the owner can read the
 * file. A new key gets `EVERY_SCOPE`. Throws `ConfigError` if the file cannot be used.
 */
export async function ensureQuickstartKey(
  db: Kysely<ApiKeysTables>,
  file: string,
  scopes: readonly string[],
): Promise<"written" | "kept"> {
  try {
    return await ensureKey(db, file, scopes);
  } catch (cause) {
    if (!(cause instanceof Error && "syscall" in cause && "code" in cause)) throw cause;
    throw new ConfigError(
      `The quickstart key cannot be stored in ${file} (${String(cause.code)}). Make the path writable for this user, or remove ` +
        `the file or folder that blocks it. With ${SETTINGS_PREFIX}_ENV=staging or production no quickstart key is stored.`,
      { cause },
    );
  }
}

async function ensureKey(
  db: Kysely<ApiKeysTables>,
  file: string,
  scopes: readonly string[],
): Promise<"written" | "kept"> {
  if (await hasWorkingKey(db, file, scopes)) {
    await chmod(file, OWNER_ONLY);
    return "kept";
  }
  const { key } = await createApiKey(db, { name: "quickstart", environment: "development" });
  await mkdir(dirname(file), { recursive: true });
  await replaceFile(file, `${key}\n`);
  return "written";
}

async function hasWorkingKey(db: Kysely<ApiKeysTables>, file: string, scopes: readonly string[]): Promise<boolean> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const found = await findApiKey(db, text.trim(), Date.now());
  if (found === undefined) return false;
  return found.scopes.includes(EVERY_SCOPE) || scopes.every((scope) => found.scopes.includes(scope));
}

/** Replaces the file atomically, so that readers see either the old or the new content. */
async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomUUID()}`;
  try {
    await writeFile(temporary, text, { mode: OWNER_ONLY, flag: "wx" });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
