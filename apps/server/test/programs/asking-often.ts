import { startProcesses } from "@platform/service/cluster";
import { createLogger } from "@platform/service/request-log";
import { readConfig } from "../../src/config.ts";
import { prepare } from "../../src/prepare.ts";
import { petstore } from "../../src/server.ts";

/** The service in several processes, each of which is asked every second whether it hangs. */
const config = readConfig(process.env);
await prepare(config);
const { baseUrl } = await startProcesses(petstore(config), createLogger(config.logLevel), 1_000);
console.log(`listening on ${baseUrl}`);
