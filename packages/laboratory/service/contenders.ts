import { openSync, writeSync } from "node:fs";
import type { NativePeer } from "./native-peers.ts";
import type { Tuning } from "./service.ts";
import type { PeerDatabase, StartPeer } from "../peers/service/peer.ts";

/** A contender of the benchmark: the service with some tuning, or a peer by the name of its file. */
export interface Contender {
  name:
    | "petstore"
    | "fastify"
    | "fastify-tuned"
    | "fastify-bare"
    | "fastify-postgres"
    | "hono"
    | "express-eov-kysely"
    | NativePeer;
  env?: NodeJS.ProcessEnv;
  tuning?: Tuning;
}

/** Returns the options of Node for a contender. Peers with the same techniques get what the service sets for itself. */
export function flagsOf({ name }: Contender): string[] {
  return ["fastify-tuned", "fastify-bare"].includes(name) ? ["--no-allocation-site-pretenuring"] : [];
}

/** The compared stacks, by their labels in the tables. */
export const LINEUP = {
  "this service": { name: "petstore" },
  "this service, no caches": { name: "petstore", tuning: { isCaching: false } },
  "Fastify, same techniques": { name: "fastify-tuned" },
  "Fastify, same techniques, no caches": { name: "fastify-tuned", env: { PEER_CACHES: "off" } },
  "Fastify as documented": { name: "fastify" },
  "Hono as documented": { name: "hono" },
  "Express + EOV + Kysely as documented": { name: "express-eov-kysely" },
} as const satisfies Record<string, Contender>;

export type Label = keyof typeof LINEUP;

/**
 * Starts a contender, in this process unless it is native. `service` is the URL of `service.ts`, bundled or not. Resolves with the port
 * and the id of the process that serves.
 */
export async function serveContender(
  { name, env = {}, tuning }: Contender,
  database: PeerDatabase,
  service: string,
): Promise<{ port: number; pid: number }> {
  Object.assign(process.env, env);
  // Loaded when it is needed, because the start of a contender is measured too.
  if (name === "go" || name === "rust") return (await import("./native-peers.ts")).startNativePeer(name, database);
  const { pid } = process;
  if (name !== "petstore") {
    const { start } = (await import(`../peers/service/${name}.ts`)) as { start: StartPeer };
    return { port: await start(database), pid };
  }
  const { createLogger, inBatches, readConfig, start } = (await import(service)) as typeof import("./service.ts");
  const config = readConfig({ PETSTORE_ENV: "production", PORT: "0", DATABASE_URL: `file:${database.path}`, ...env });
  const devNull = openSync("/dev/null", "w");
  const logger = createLogger(config.logLevel, inBatches({ write: (lines) => writeSync(devNull, lines) }));
  const { baseUrl } = await start(config, logger, { ...tuning, synchronous: database.synchronous });
  return { port: Number(new URL(baseUrl).port), pid };
}
