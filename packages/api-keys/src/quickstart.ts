import { randomUUID } from "node:crypto";
import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { ConfigError } from "@platform/service/settings";
import type { Kysely } from "kysely";
import { createApiKey, EVERY_SCOPE, findApiKey } from "./keys.repository.ts";
import type { ApiKeysTables } from "./keys.table.ts";

const OWNER_ONLY = 0o600;

/**
 * Makes sure that the file holds a key that works in this database and allows all these scopes, readable by its owner alone.
 * A key that it makes has `EVERY_SCOPE`. Throws `ConfigError` where the file cannot be used.
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
      `The quickstart key cannot be kept in ${file} (${String(cause.code)}). Let this user write there, or remove what is ` +
        "in the way; PETSTORE_ENV=staging and production keep none.",
      { cause },
    );
  }
}

async function ensureKey(
  db: Kysely<ApiKeysTables>,
  file: string,
  scopes: readonly string[],
): Promise<"written" | "kept"> {
  if (await holdsWorkingKey(db, file, scopes)) {
    await chmod(file, OWNER_ONLY);
    return "kept";
  }
  const { key } = await createApiKey(db, { name: "quickstart", environment: "development" });
  await mkdir(dirname(file), { recursive: true });
  await replaceFile(file, `${key}\n`);
  return "written";
}

async function holdsWorkingKey(db: Kysely<ApiKeysTables>, file: string, scopes: readonly string[]): Promise<boolean> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const found = await findApiKey(db, text.trim(), Date.now());
  if (found === undefined) return false;
  return found.scopes.includes(EVERY_SCOPE) || scopes.every((scope) => found.scopes.includes(scope));
}

/** Readers see the old file or the new one, never a part. */
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
