import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { createLogger } from "@openapi-operations/service/request-log";
import { startService } from "@openapi-operations/service/start-service";
import { readConfig } from "../config.ts";
import { prepare, thingsService } from "../things.ts";

/**
 * A process that starts and closes the service three times, and prints its state after the first and the last time.
 * The report is printed once nothing else keeps the process alive.
 */
interface State {
  timers: number;
  listeners: string[];
  databaseFiles: string[];
  stackTraceLimit: number;
  umask: number;
}

const config = readConfig(process.env);
const logger = createLogger("silent", { write: () => {} });

async function serveAndClose(): Promise<string> {
  try {
    const service = await startService(thingsService(config), logger);
    for (const path of ["/healthz", "/readyz", "/v1/things", "/nope", "/docs", "/openapi.yaml"])
      await (await fetch(new URL(path, service.baseUrl), { headers: { Connection: "close" } })).text();
    await (await fetch(service.metricsUrl!, { headers: { Connection: "close" } })).text();
    await service.close();
    return "closed";
  } catch (error) {
    return (error as Error).name;
  }
}

function stateNow(): State {
  const folder = "/proc/self/fd"; // of Linux
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return {
    timers: process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length,
    listeners: process.eventNames().flatMap((name) => process.listeners(name as "exit").map(() => String(name))),
    databaseFiles: names.map((name) => targetOf(`${folder}/${name}`)).filter((path) => path.includes("things.db")),
    stackTraceLimit: Error.stackTraceLimit,
    umask: process.umask(),
  };
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return ""; // the one that read the folder is closed by now
  }
}

await prepare(config);
const [first, before] = [await serveAndClose(), stateNow()]; // modules are loaded once and stay
const outcomes = [first, await serveAndClose(), await serveAndClose()];
const report = { outcomes, before, after: stateNow() };
process.once("beforeExit", () => console.log(JSON.stringify(report)));
