import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../redocly.ts";
import type { ClientSettings } from "./client-call.ts";

const CLIENT = join(ROOT, "packages/client");

/** Returns the settings of the repository's client: those of its generator, and the name of its package. */
export async function clientSettings(): Promise<ClientSettings> {
  const [config, manifest] = await Promise.all(["fetch-operations.config.json", "package.json"].map(read));
  return { ...(config as ClientSettings), package: (manifest as { name: string }).name };
}

async function read(file: string): Promise<unknown> {
  return JSON.parse(await readFile(join(CLIENT, file), "utf8")) as unknown;
}
