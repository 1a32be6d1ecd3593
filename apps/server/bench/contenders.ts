import type { PatchName } from "./patches.ts";
import type { PeerDatabase, StartPeer } from "./peers/peer.ts";

/** Who is measured: the service, changed by `patches` if at all, or one of its peers, by the name of its file. */
export interface Contender {
  name: "petstore" | "node-http" | "fastify" | "fastify-tuned" | "hono" | "express-eov-kysely";
  env?: NodeJS.ProcessEnv;
  patches?: PatchName[];
}

/** The stacks side by side, by the names they have in tables. */
export const LINEUP = {
  "this service": { name: "petstore" },
  "this service, nothing kept": { name: "petstore", patches: ["without anything kept"] },
  "this service, VALIDATION=always": { name: "petstore", env: { VALIDATION: "always" } },
  "Fastify, same techniques": { name: "fastify-tuned" },
  "Fastify, same techniques, nothing kept": { name: "fastify-tuned", env: { PEER_CACHES: "off" } },
  "Fastify as documented": { name: "fastify" },
  "Hono as documented": { name: "hono" },
  "bare node:http": { name: "node-http" },
  "Express + EOV + Kysely as documented": { name: "express-eov-kysely" },
} as const satisfies Record<string, Contender>;

export type Label = keyof typeof LINEUP;

/** Starts a contender in this process, and gives its port. The service is the bundle at a URL. */
export async function startContender(
  { name, env = {} }: Contender,
  database: PeerDatabase,
  service: string,
): Promise<number> {
  Object.assign(process.env, env);
  if (name !== "petstore") {
    const { start } = (await import(`./peers/${name}.ts`)) as { start: StartPeer };
    return start(database);
  }
  const { createLogger, inBatches, readConfig, start } = (await import(service)) as typeof import("./service.ts");
  const config = readConfig({ PETSTORE_ENV: "production", PORT: "0", DATABASE_URL: `file:${database.path}`, ...env });
  const { baseUrl } = await start(config, createLogger(config.logLevel, inBatches("/dev/null")));
  return Number(new URL(baseUrl).port);
}
