import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { json } from "node:stream/consumers";
import { version } from "@petstore/contract";
import { get } from "@platform/service/node-http";
import { ConfigError } from "@platform/service/settings";
import { examineDatabase, type Finding } from "@platform/storage/examine-database";
import { type Config, readConfig } from "./config.ts";
import { MIGRATIONS } from "./migrations.ts";

/** What was found in one of the things that are looked at. */
export interface Check extends Finding {
  check: string;
}

/** How long the service may take to say whether it is ready; it gives its database a second. */
const DEADLINE_MS = 3_000;

/** Looks at everything the service needs, and changes no data. */
export async function examine(env: NodeJS.ProcessEnv): Promise<Check[]> {
  const versions = `petstore ${version}, Node ${process.versions.node}`;
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const wrong = error.message.split("\n").map((remedy): Check => ({ check: "settings", found: "wrong", remedy }));
    return [...wrong, { check: "versions", found: versions }];
  }
  const known: Check[] = [
    { check: "settings", found: `${config.environment}, to listen on ${config.host}:${config.port}` },
    { check: "versions", found: versions },
    await examineService(config),
  ];
  const found = Object.entries(await examineDatabase(config.databaseUrl, MIGRATIONS));
  return [...known, ...found.map(([check, finding]): Check => ({ check, ...finding }))];
}

/** Asks the service itself, which alone knows what it has open. */
async function examineService({ host, port }: Config): Promise<Check> {
  const address = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  try {
    const { status, message } = (await readJson(`http://${address}/readyz`)) as { status?: unknown; message?: string };
    if (status === "ok") return { check: "service", found: `ready at ${address}` };
    const remedy =
      "Its log says more. If the database file or its log was moved, removed or replaced, put it back, or stop the service and start it again.";
    return { check: "service", found: `not ready at ${address}: ${message}`, remedy };
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    if (code === "ECONNREFUSED") return { check: "service", found: `not running at ${address}` };
    if (name === "SyntaxError")
      return { check: "service", found: `another program at ${address}`, remedy: "End it, or set PORT to a free one." };
    return { check: "service", found: `no answer from ${address}`, remedy: "Stop the service, and start it again." };
  }
}

/** Not by `fetch`, which refuses some ports that the service may have: https://fetch.spec.whatwg.org/#port-blocking */
async function readJson(url: string): Promise<unknown> {
  const asked = get(url, { agent: false, signal: AbortSignal.timeout(DEADLINE_MS) });
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  return json(answer);
}
