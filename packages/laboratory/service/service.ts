/** The parts of the service that the benchmark starts. */
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import v8 from "node:v8";
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
  /** Whether V8 may make objects of a kind that mostly survives in the old generation. Default: false. */
  isPretenuring?: boolean;
  /** Whether Node gets each default header by itself. Default: false; they are one text. */
  hasSingleHeaders?: boolean;
}

const { STATUS_CODES } = process.getBuiltinModule("node:http");

/** Starts the service in this process. The database must already be prepared. */
export function start(config: Config, logger: Logger, tuning: Tuning): Promise<Service> {
  const { isPlain = false, isPretenuring = false, hasSingleHeaders = false, ...rest } = tuning;
  if (isPretenuring) {
    v8.setFlagsFromString = () => {}; // V8 does not turn it on again once the service has turned it off
    syncBuiltinESMExports();
  }
  const program = server.serviceProgram(config, rest);
  const open: typeof program.open = async (context) => {
    const { app, stopWaiting } = await program.open(context);
    const writeHead = Reflect.get(app.response!, "writeHead") as () => unknown;
    /** With a phrase, which the service never gives, the default headers are set one by one. */
    const withPhrase = function (this: ServerResponse, status: number, headers: OutgoingHttpHeaders): unknown {
      return Reflect.apply(writeHead, this, [status, STATUS_CODES[status], headers]);
    };
    if (hasSingleHeaders) Object.assign(app.response!, { writeHead: withPhrase });
    return { app: isPlain ? (request, response) => app(request, response) : app, stopWaiting };
  };
  return startService({ ...program, open }, logger);
}
