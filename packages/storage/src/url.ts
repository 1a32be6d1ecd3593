import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** What to say of a text that `isDatabaseUrl` refuses. */
export const NOT_A_DATABASE =
  "DATABASE_URL must be the path of a file after `file:`, or name a PostgreSQL database. Set it so: DATABASE_URL=file:data/petstore.db or DATABASE_URL=postgres://user:password@host:5432/petstore";

/** Whether the text names a SQLite file, or a database of PostgreSQL. */
export function isDatabaseUrl(text: string): boolean {
  return isPostgresUrl(text) ? namesDatabase(text) : isFileUrl(text);
}

/** The path that a `file:` URL names; one without slashes after the colon is relative to the working directory. */
export function pathOfFileUrl(url: string): string {
  return url.startsWith("file://") ? fileURLToPath(url) : url.slice("file:".length);
}

/** A path without links, so that each file has one; where nothing is, the path from the root. */
export function realPathOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : resolve(path);
}

/** Whether the URL is one of PostgreSQL, by its scheme: `postgres:` or `postgresql:`. */
export function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:/i.test(url);
}

/** The server itself may be left to the URL's parameters, such as `?host=/run/postgresql`. */
function namesDatabase(url: string): boolean {
  return /^\/[^/]+$/.test(URL.parse(url)?.pathname ?? "");
}

function isFileUrl(url: string): boolean {
  if (!/^file:[^?#]+$/.test(url)) return false;
  try {
    return !/^$|^:memory:$|[/\\]$/.test(pathOfFileUrl(url));
  } catch {
    return false;
  }
}
