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
}

/** Starts the service in this process. The database must already be prepared. */
export function start(config: Config, logger: Logger, { isPlain = false, ...tuning }: Tuning): Promise<Service> {
  const program = server.serviceProgram(config, tuning);
  if (!isPlain) return startService(program, logger);
  const open: typeof program.open = async (context) => {
    const { app, stopWaiting } = await program.open(context);
    return { app: (request, response) => app(request, response), stopWaiting };
  };
  return startService({ ...program, open }, logger);
}
