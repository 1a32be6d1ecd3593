import { isPostgresUrl } from "@openapi-operations/storage/url";
import { pino } from "pino";
import { startService } from "@openapi-operations/service/start-service";
import { readConfig } from "../config.ts";
import { prepare, thingsService } from "../things.ts";

/** A process that starts and closes the service on each database URL it receives, and replies with the result. */
process.on("message", (databaseUrl: string) => {
  void startAndClose(databaseUrl).then(
    (state) => process.send!(state),
    (error: unknown) => process.send!(String(error)),
  );
});

async function startAndClose(databaseUrl: string): Promise<string> {
  const config = readConfig({ DATABASE_URL: databaseUrl, PORT: "0", THINGS_ENV: "production" });
  await prepare(config);
  const service = await startService(thingsService(config), pino({ level: "silent" }));
  const state = await askedReady(new URL("/readyz", service.baseUrl), isPostgresUrl(databaseUrl) ? 5 : 1);
  await service.close();
  return state;
}

/** Retries for PostgreSQL: while many services start, it may be slower than the second that `/readyz` waits. */
async function askedReady(readyz: URL, times: number): Promise<string> {
  let status = 0;
  for (let asked = 0; asked < times && status !== 200; asked++) ({ status } = await fetch(readyz));
  return status === 200 ? "ready" : `/readyz answered ${status}`;
}
