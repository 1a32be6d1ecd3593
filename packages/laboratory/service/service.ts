/** The parts of the service that the benchmark starts. */
import type { Service } from "@openapi-operations/service/serving";
import { startService } from "@openapi-operations/service/start-service";
import type { Logger } from "pino";
import type { Config } from "../../../apps/server/src/config.ts";
import * as server from "../../../apps/server/src/server.ts";

export { readConfig } from "../../../apps/server/src/config.ts";
export { createLogger, inBatches } from "@openapi-operations/service/request-log";

/** The options that only the benchmark changes. */
export interface Tuning extends server.Tuning {
  /** Whether Express sets the prototypes of requests and responses. Default: false; Node makes them with these prototypes. */
  isPlain?: boolean;
  /** Whether responses have the default headers and the request id. Default: true. */
  hasHeaders?: boolean;
}

/** Starts the service in this process. The database must already be prepared. */
export function start(config: Config, logger: Logger, tuning: Tuning): Promise<Service> {
  const { isPlain = false, hasHeaders = true, ...rest } = tuning;
  const program = server.serviceProgram(config, rest);
  const open: typeof program.open = async (context) => {
    const { app, stopWaiting } = await program.open(context);
    if (!hasHeaders) Reflect.deleteProperty(app.response!, "writeHead"); // Node's own remains
    return { app: isPlain ? (request, response) => app(request, response) : app, stopWaiting };
  };
  return startService({ ...program, open }, logger);
}
