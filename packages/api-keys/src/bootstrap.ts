import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { NAME, SETTINGS_PREFIX } from "@platform/command-line/name";
import { ConfigError, type Environment } from "@platform/service/settings";
import type { Kysely } from "kysely";
import { isValidIn, isWellFormedApiKey } from "./api-key.ts";
import { registerApiKey } from "./keys.repository.ts";
import type { ApiKeysTables } from "./keys.table.ts";
import { BOOTSTRAP_KEY_FILE } from "./settings.ts";

const MAX_BYTES = 1024;
const REMEDY = `Make one with: umask 077; ${NAME} keys generate > <file>`;

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
      `names a file with a key of another environment, which ${environment} rejects. ` +
        `Make one with: umask 077; ${SETTINGS_PREFIX}_ENV=${environment} ${NAME} keys generate > <file>`,
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
    if (stats.size > MAX_BYTES) throw settingError(`names a file that contains more than one API key. ${REMEDY}`);
    const text = (await file.readFile("utf8")).trim();
    if (text === "") throw settingError(`names a file that is empty. ${REMEDY}`);
    if (!isWellFormedApiKey(text)) throw settingError(`names a file that does not hold one API key. ${REMEDY}`);
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
      code === "ENOENT" ? `names a file that does not exist. ${REMEDY}` : `names a file that cannot be read (${code}).`,
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
  return new ConfigError(`${BOOTSTRAP_KEY_FILE} ${problem}`, { cause });
}
