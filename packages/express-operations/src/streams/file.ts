import { hash } from "node:crypto";
import { type FileHandle, open, stat } from "node:fs/promises";
import { constants, type BigIntStats } from "node:fs";
import { FileBody, type FileOptions } from "../response/streamed-response.ts";
import type { ByteRange, Representation } from "./representation.ts";

/** Opens the file. The representation has the size and validators of the open file, so that they match its bytes. */
export async function openFile({ source, options }: FileBody): Promise<Representation> {
  const handle = typeof source === "string" ? await openPath(source) : source;
  try {
    const stats = await handle.stat({ bigint: true });
    expectFile(stats, typeof source === "string" ? source : "the file handle");
    const { name, disposition = name === undefined ? undefined : "attachment", etag } = options;
    return {
      size: Number(stats.size),
      headers: {
        ETag: etag ?? tagOf(stats),
        "Last-Modified": stats.mtime.toUTCString(),
        ...(disposition !== undefined && { "Content-Disposition": contentDisposition(disposition, name) }),
      },
      read: (range) => read(handle, range),
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Returns a body that sends a file with `Range`, conditional requests, `ETag` and `Last-Modified`. Rejects with `ENOENT` if
 * there is no file at the path, and for anything but a regular file. A path is opened when the response is sent. A file
 * handle is closed after the response.
 */
export async function file(source: string | FileHandle, options: FileOptions = {}): Promise<FileBody> {
  if (options.etag !== undefined && !/^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/.test(options.etag))
    throw new TypeError(`The ETag ${JSON.stringify(options.etag)} is not an entity tag. Put it in double quotes.`);
  if (typeof source === "string") expectFile(await stat(source, { bigint: true }), source);
  return new FileBody(source, options);
}

/** A FIFO would block the thread that opens it for reading without `O_NONBLOCK`. */
function openPath(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
}

/** The bytes of one read. */
const CHUNK = 256 * 1024;

/** Reads a part of a file, a chunk at a time. A file that has shrunk ends early. A stream would take longer for small files. */
async function* read(handle: FileHandle, { first, last }: ByteRange): AsyncGenerator<Uint8Array> {
  for (let at = first; at <= last;) {
    const length = Math.min(CHUNK, last - at + 1);
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, at);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

function expectFile(stats: BigIntStats, source: string): void {
  if (stats.isFile()) return;
  const code = stats.isDirectory() ? "EISDIR" : "EINVAL";
  throw Object.assign(new Error(`${code}: ${source} is not a regular file, so it cannot be sent.`), { code });
}

/** Clients do not learn inode numbers, because the tag is a hash. */
function tagOf({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return `"${hash("sha256", [dev, ino, size, mtimeNs].join(), "base64url").slice(0, 22)}"`;
}

/**
 * Returns the value of `Content-Disposition` (RFC 6266). The name is sent without folders and control
 * characters. A name beyond ASCII is sent twice: with `?` for other characters, and as `filename*` (RFC 8187).
 */
function contentDisposition(disposition: string, name: string | undefined): string {
  if (name === undefined) return disposition;
  const base = name
    .toWellFormed()
    .replace(/^.*[/\\]/s, "")
    .replaceAll(/\p{Cc}/gu, "");
  const ascii = base.replaceAll(/[^\x20-\x7e]/gu, "?");
  const value = `${disposition}; filename="${ascii.replaceAll('"', "'")}"`;
  // Some clients decode a percent sign in `filename` (RFC 6266, appendix D).
  return ascii === base && !/["%]/.test(base) ? value : `${value}; filename*=UTF-8''${encode(base)}`;
}

/** Encodes all but the characters of `attr-char` (RFC 8187, section 3.2.1). */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(/['()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}
