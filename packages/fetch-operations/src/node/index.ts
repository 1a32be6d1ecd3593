/** Parts for Node only. */
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";

/**
 * Writes the body of a raw call's response to a new file, as it arrives. Rejects if the file exists. If the download breaks, it
 * removes the file and rejects.
 */
export async function saveTo(path: string, response: Response | Promise<Response>): Promise<void> {
  const { body } = await response;
  const file = createWriteStream(path, { flags: "wx" });
  let isOpen = false;
  file.once("open", () => (isOpen = true));
  try {
    await pipeline(body === null ? Readable.from([]) : Readable.fromWeb(body as ReadableStream), file);
  } catch (error) {
    if (isOpen) await rm(path, { force: true });
    throw error;
  }
}
