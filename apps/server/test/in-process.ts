import { createApiKey } from "@platform/api-keys/keys.repository";
import { createLogger } from "@platform/service/request-log";
import type { Service } from "@platform/service/serving";
import { openDatabase } from "@platform/storage/database";
import { temporaryUrl } from "@platform/test-support/temporary";
import { readConfig } from "../src/config.ts";
import { prepare } from "../src/prepare.ts";
import { start } from "../src/server.ts";

/** A line of the log, with the fields that tests read. */
export interface Line extends Record<string, unknown> {
  level: number;
  msg: string;
}

/** The levels of the log by pino's numbers. */
export const [INFO, WARN, ERROR] = [30, 40, 50] as const;

/** Starts the service in this process, so that tests can observe its end: over a new database, as in production. */
export async function startInProcess(
  env: NodeJS.ProcessEnv = {},
): Promise<{ service: Service; databaseUrl: string; key: string; lines: () => Line[] }> {
  const databaseUrl = await temporaryUrl();
  const config = readConfig({ DATABASE_URL: databaseUrl, PORT: "0", PETSTORE_ENV: "production", ...env });
  await prepare(config);
  const db = openDatabase(databaseUrl);
  const { key } = await createApiKey(db, { name: "test", environment: "production" });
  await db.destroy();
  const written: string[] = [];
  const logger = createLogger(config.logLevel, { write: (line) => void written.push(line) });
  const service = await start(config, logger);
  return { service, databaseUrl, key, lines: () => written.map((line) => JSON.parse(line) as Line) };
}
