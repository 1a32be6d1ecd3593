/** The service in its own process. It replies to each message of its parent with the memory that it holds. Run with `--expose-gc`. */
import { createLogger } from "@openapi-operations/service/request-log";
import { startService } from "@openapi-operations/service/start-service";
import { readConfig } from "../config.ts";
import { prepare, thingsService } from "../things.ts";

const config = readConfig(process.env);
await prepare(config);
const service = await startService(thingsService(config), createLogger(config.logLevel));
process.on("message", () => {
  for (let pass = 0; pass < 3; pass++) globalThis.gc!();
  const { heapUsed, external } = process.memoryUsage();
  process.send!({ bytes: heapUsed + external });
});
process.on("disconnect", () => void service.close());
process.send!({ baseUrl: service.baseUrl });
