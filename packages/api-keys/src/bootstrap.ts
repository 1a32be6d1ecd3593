import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { ConfigError } from "@platform/service/settings";
import type { Kysely } from "kysely";
import { isWellFormedApiKey } from "./api-key.ts";
import { registerApiKey } from "./keys.repository.ts";
import type { ApiKeysTables } from "./keys.table.ts";

const LARGEST_BYTES = 1024;
const HOW_TO_MAKE_ONE = "Make one with: umask 077; petstore keys generate > <file>";

/**
 * Registers the key in `PETSTORE_BOOTSTRAP_KEY_FILE`, with `EVERY_SCOPE`, unless the database knows it: one that was revoked
 * stays so. Throws `ConfigError`, which shows neither the file's content nor its path, lest that be the key by mistake.
 */
export async function ensureBootstrapKey(db: Kysely<ApiKeysTables>, file: string): Promise<"registered" | "known"> {
  const apiKey = await registerApiKey(db, await readKey(file), { name: "bootstrap" });
  return apiKey === undefined ? "known" : "registered";
}

async function readKey(path: string): Promise<string> {
  const file = await openFile(path);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw refusal("does not name a regular file.");
    if ((stats.mode & forbiddenMode(stats.uid)) !== 0) {
      throw refusal("names a file that others than its owner may read or write. Run: chmod 600 <file>");
    }
    if (stats.size > LARGEST_BYTES) throw refusal(`names a file that holds more than an API key. ${HOW_TO_MAKE_ONE}`);
    const text = (await file.readFile("utf8")).trim();
    if (text === "") throw refusal(`names a file that is empty. ${HOW_TO_MAKE_ONE}`);
    if (!isWellFormedApiKey(text)) throw refusal(`names a file that does not hold one API key. ${HOW_TO_MAKE_ONE}`);
    return text;
  } finally {
    await file.close();
  }
}

/** Without blocking, or a named pipe would hold up the start for ever. */
async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw refusal(
      code === "ENOENT"
        ? `names a file that does not exist. ${HOW_TO_MAKE_ONE}`
        : `names a file that cannot be read (${code}).`,
      cause,
    );
  }
}

/** Secrets are mounted as root's for a group: as PostgreSQL does, such a file may be read by its group. */
function forbiddenMode(owner: number): number {
  return owner === 0 && process.getuid?.() !== 0 ? 0o037 : 0o077;
}

function refusal(problem: string, cause?: unknown): ConfigError {
  return new ConfigError(`PETSTORE_BOOTSTRAP_KEY_FILE ${problem}`, { cause });
}
