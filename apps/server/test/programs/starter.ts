import { pino } from "pino";
import { readConfig } from "../../src/config.ts";
import { prepare } from "../../src/prepare.ts";
import { start } from "../../src/server.ts";

/** A process that starts the service on each database it is sent and closes it again, and answers what became of it. */
process.on("message", (databaseUrl: string) => {
  void startAndClose(databaseUrl).then(
    (state) => process.send!(state),
    (error: unknown) => process.send!(String(error)),
  );
});

async function startAndClose(databaseUrl: string): Promise<string> {
  const config = readConfig({ DATABASE_URL: databaseUrl, PORT: "0", PETSTORE_ENV: "production" });
  await prepare(config);
  const service = await start(config, pino({ level: "silent" }));
  const state = await untilReady(new URL("/readyz", service.baseUrl));
  await service.close();
  return state;
}

/** Asks a few times, since the database may be slower than `/readyz` waits for while so many start. */
async function untilReady(readyz: URL): Promise<string> {
  let status = 0;
  for (let asked = 0; asked < 5 && status !== 200; asked++) ({ status } = await fetch(readyz));
  return status === 200 ? "ready" : `/readyz answered ${status}`;
}
