import { hash } from "node:crypto";
import { type FileHandle, open, stat } from "node:fs/promises";
import { constants, type BigIntStats } from "node:fs";
import type { ByteRange } from "./byte-range.ts";
import { contentDisposition, type Disposition } from "./content-disposition.ts";
import type { Representation } from "./representation.ts";

/** The options of `file`. */
export interface FileOptions {
  /** The file name that `Content-Disposition` suggests. */
  name?: string;
  /** Default with a name: `attachment`. Without both, no `Content-Disposition` is sent. */
  disposition?: Disposition;
  /** The entity tag, in quotes. Default: a strong one, from inode, size and modification time. */
  etag?: string;
}

/** The body of a response that is read from a file. `file` creates it. */
export class FileBody {
  readonly #source: string | FileHandle;
  readonly #options: FileOptions;

  constructor(source: string | FileHandle, options: FileOptions) {
    this.#source = source;
    this.#options = options;
  }

  /** Opens the file. The representation has the size and validators of the open file, so that they match its bytes. */
  async open(): Promise<Representation> {
    const handle = typeof this.#source === "string" ? await openFile(this.#source) : this.#source;
    try {
      const stats = await handle.stat({ bigint: true });
      expectFile(stats, typeof this.#source === "string" ? this.#source : "the file handle");
      const { name, disposition = name === undefined ? undefined : "attachment", etag } = this.#options;
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

  /** Closes the file handle that the handler has passed. A path is not open yet. */
  async close(): Promise<void> {
    if (typeof this.#source !== "string") await this.#source.close();
  }
}

/**
 * Returns a body that sends a file with `Range`, conditional requests, `ETag` and `Last-Modified`. Rejects with `ENOENT` if
 * there is no file at the path, and for anything but a regular file. A path is opened when the response is sent. A file
 * handle is closed after the response.
 */
export async function file(source: string | FileHandle, options: FileOptions = {}): Promise<FileBody> {
  if (options.etag !== undefined && !/^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/.test(options.etag))
    throw new TypeError(`The ETag ${JSON.stringify(options.etag)} is no entity tag. Put it in double quotes.`);
  if (typeof source === "string") expectFile(await stat(source, { bigint: true }), source);
  return new FileBody(source, options);
}

/** A FIFO would block the thread that opens it for reading without `O_NONBLOCK`. */
function openFile(path: string): Promise<FileHandle> {
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
