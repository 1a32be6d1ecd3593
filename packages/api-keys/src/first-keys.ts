import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { chmod, type FileHandle, mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { SERVICE } from "@openapi-operations/command-line/name";
import { ConfigError, type Environment, variableOf } from "@openapi-operations/service/settings";
import type { Kysely } from "kysely";
import { isValidIn, isWellFormedApiKey } from "./api-key.ts";
import { createApiKey, EVERY_SCOPE, findApiKey, registerApiKey } from "./keys.repository.ts";
import type { ApiKeysTables } from "./keys.table.ts";
import { BOOTSTRAP_KEY_FILE } from "./settings.ts";

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
    if (await hasWorkingKey(db, file, scopes)) {
      await chmod(file, OWNER_ONLY);
      return "kept";
    }
    const { key } = await createApiKey(db, { name: "quickstart", environment: "development" });
    await mkdir(dirname(file), { recursive: true });
    await replaceFile(file, `${key}\n`);
    return "written";
  } catch (cause) {
    if (!(cause instanceof Error && "syscall" in cause && "code" in cause)) throw cause;
    throw new ConfigError(
      `The quickstart key cannot be stored in ${file} (${String(cause.code)}). Make the path writable for this user, or remove ` +
        `the file or folder that blocks it. With ${variableOf("SERVICE_ENV")}=staging or production no quickstart key is stored.`,
      { cause },
    );
  }
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

const MAX_BYTES = 1024;
const remedy = () => `Make one with: umask 077; ${SERVICE.name} keys generate > <file>`;

/**
 * Registers the key in the file of the setting `…_BOOTSTRAP_KEY_FILE` with `EVERY_SCOPE`. A key that is already in the database stays unchanged,
 * even if it is revoked. Throws `ConfigError` if the file does not hold a key of this environment or others may read it. The message contains
 * neither the content nor the path of the file, because the setting may contain the key by mistake.
 */
export async function ensureBootstrapKey(
  db: Kysely<ApiKeysTables>,
  file: string,
  environment: Environment,
): Promise<"registered" | "known"> {
  const key = await readKey(file);
  if (!isValidIn(environment, key))
    throw settingError(
      `names a file with a key for another environment, which ${environment} rejects. ` +
        `Make one with: umask 077; ${variableOf("SERVICE_ENV")}=${environment} ${SERVICE.name} keys generate > <file>`,
    );
  const apiKey = await registerApiKey(db, key, { name: "bootstrap" });
  return apiKey === undefined ? "known" : "registered";
}

async function readKey(path: string): Promise<string> {
  const file = await openFile(path);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw settingError("does not name a regular file.");
    if ((stats.mode & forbiddenMode(stats.uid)) !== 0) {
      throw settingError("names a file that users other than its owner may read or write. Run: chmod 600 <file>");
    }
    if (stats.size > MAX_BYTES) throw settingError(`names a file that contains more than one API key. ${remedy()}`);
    const text = (await file.readFile("utf8")).trim();
    if (text === "") throw settingError(`names a file that is empty. ${remedy()}`);
    if (!isWellFormedApiKey(text))
      throw settingError(`names a file that does not contain a well-formed API key. ${remedy()}`);
    return text;
  } finally {
    await file.close();
  }
}

/** Opens the file without blocking, because a named pipe without a writer would block the start forever. */
async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw settingError(
      code === "ENOENT"
        ? `names a file that does not exist. ${remedy()}`
        : `names a file that cannot be read (${code}).`,
      cause,
    );
  }
}

/**
 * Returns the permission bits that the file must not have. The group may read a file that root owns, because container
 * secrets are mounted so. PostgreSQL has the same rule for its keys. On Windows, a mode says nothing of other users.
 */
function forbiddenMode(owner: number): number {
  if (process.platform === "win32") return 0;
  return owner === 0 && process.getuid?.() !== 0 ? 0o037 : 0o077;
}

function settingError(problem: string, cause?: unknown): ConfigError {
  return new ConfigError(`${variableOf(BOOTSTRAP_KEY_FILE)} ${problem}`, { cause });
}
