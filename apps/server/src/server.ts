import { existsSync } from "node:fs";
import { relative } from "node:path";
import { version } from "@petstore/contract";
import { type Logger, pino } from "pino";
import { BASE_PATH, createApp } from "./app.ts";
import type { Config } from "./config.ts";
import { type Listener, listen } from "./http.ts";
import { ensureQuickstartKey } from "./keys/quickstart.ts";
import { migrate } from "./migrations.ts";
import { openStorage } from "./storage.ts";

/** The service at work: its base URL, and how to end it. `close` finishes what is in flight. */
export interface Service {
  baseUrl: string;
  close: () => Promise<void>;
}

/** Migrates the database, in development sees to the quickstart key, and listens. */
export async function start(config: Config, logger: Logger): Promise<Service> {
  const storage = openStorage(config.databaseUrl);
  let listener: Listener;
  try {
    await migrate(storage.db);
    if (config.environment === "development") await ensureQuickstartKey(storage.db, config.quickstartFile);
    listener = await listen(await createApp({ storage, logger, environment: config.environment }), config);
  } catch (error) {
    await storage.destroy();
    throw error;
  }
  return {
    baseUrl: listener.origin + BASE_PATH,
    close: async () => {
      await listener.close();
      await storage.destroy();
    },
  };
}

/** Runs the service until SIGTERM or SIGINT, and then exits with 0 once everything in flight is answered. */
export async function serve(config: Config): Promise<void> {
  const logger = pino({ level: config.logLevel });
  const service = await start(config, logger);
  let stopping: Promise<void> | undefined;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      stopping ??= service.close().then(() => logger.info({ signal }, "stopped"));
    });
  }
  console.log(greeting(config, service.baseUrl));
}

function greeting(config: Config, baseUrl: string): string {
  const lines = [`Petstore ${version} (${config.environment}) is listening on ${baseUrl}`];
  const keyFile = relative(process.cwd(), config.quickstartFile);
  if (config.environment === "development" && existsSync(keyFile)) {
    const curl = `curl -i -H "Authorization: Bearer $(cat ${keyFile})"`;
    lines.push(
      "",
      "Try it from another terminal:",
      `  ${curl} ${baseUrl}/pets`,
      `  ${curl} -H 'Content-Type: application/json' -d '{"name":"Rex","categoryId":1}' ${baseUrl}/pets`,
      "",
      "Ctrl+C stops it.",
      "",
    );
  }
  return lines.join("\n");
}
