import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../paths.ts";
import type { ClientSettings } from "./client-call.ts";

const CLIENT = join(ROOT, "packages/client");
const CONFIG = "fetch-operations.config.json";

/** Returns the settings of the repository's client: those of its generator, and the name of its package. Undefined without a client. */
export async function clientSettings(): Promise<ClientSettings | undefined> {
  if (!existsSync(join(CLIENT, CONFIG))) return undefined;
  const [config, manifest] = await Promise.all([CONFIG, "package.json"].map(read));
  return { ...(config as ClientSettings), package: (manifest as { name: string }).name };
}

async function read(file: string): Promise<unknown> {
  return JSON.parse(await readFile(join(CLIENT, file), "utf8")) as unknown;
}
