import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The only value of `target_session_attrs` that the service can use. */
const READ_WRITE = "read-write";

/** Whether the string is the URL of a SQLite file or of a PostgreSQL database. */
export function isDatabaseUrl(text: string): boolean {
  return isPostgresUrl(text) ? namesDatabase(text) : isFileUrl(text);
}

/** Returns the path of a `file:` URL. Without a slash after the colon, it is relative to the working directory. */
export function pathOfFileUrl(url: string): string {
  return url.startsWith("file://") ? fileURLToPath(url) : url.slice("file:".length);
}

/** Returns the path with symbolic links resolved, so that each file has one path; the absolute path if there is no file. */
export function realPathOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : resolve(path);
}

/** Whether the scheme of the URL is `postgres:` or `postgresql:`. */
export function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:/i.test(url);
}

/** Returns one URL for each host of a `postgres:` URL, which may have several: `postgres://one:5432,two:5432/petstore`. */
export function hostUrlsOf(url: string): string[] {
  const parts = /^([a-z]*:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)/is.exec(url);
  if (parts === null) return [url];
  const [before, hosts, after] = parts.slice(1) as [string, string, string];
  return hosts.split(",").map((host) => `${before}${host}${after}`);
}

/**
 * Whether the URL names a database, and asks for no other server than one that accepts writes. A single host may be in the
 * parameters instead, such as `?host=/run/postgresql`.
 */
function namesDatabase(url: string): boolean {
  const urls = hostUrlsOf(url).map((one) => URL.parse(one));
  return urls.every(
    (one) =>
      one !== null &&
      /^\/[^/]+$/.test(one.pathname) &&
      (urls.length === 1 || one.host !== "") &&
      (one.searchParams.get("target_session_attrs") ?? READ_WRITE) === READ_WRITE,
  );
}

function isFileUrl(url: string): boolean {
  if (!/^file:[^?#]+$/.test(url)) return false;
  try {
    return !/^:memory:$|[/\\]$/.test(pathOfFileUrl(url));
  } catch {
    return false;
  }
}
