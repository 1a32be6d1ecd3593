import { join } from "node:path";
import { startProcesses } from "../../src/life/cluster.ts";
import { createLogger } from "../../src/observability/request-log.ts";
import { thingsService } from "../../testing/things.ts";

/** A service of things in several processes, with a ping to each worker every second. */
const service = { ...thingsService({ env: process.env }), path: join(import.meta.dirname, "things.ts") };
const { baseUrl, startOthers } = await startProcesses(service, createLogger("info"), 1_000);
await startOthers!();
console.log(`listening on ${baseUrl}`);
