import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";

/** Returns a folder in memory if 4 GiB are free there, otherwise the temporary folder. */
export async function memoryFolder(): Promise<string> {
  const { bavail, bsize } = await statfs("/dev/shm").catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize > 2 ** 32 ? "/dev/shm" : tmpdir();
}
