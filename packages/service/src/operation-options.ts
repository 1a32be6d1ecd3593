import type { Violation } from "express-operations";
import type { Logger } from "pino";
import { type ErrorFormat, plainErrors } from "./problems.ts";
import type { Environment } from "./settings.ts";
import type { Request, Response } from "express";

/** The share of responses that is checked outside development. */
const SAMPLE_RATE = 0.01;

/**
 * Returns the options of `implement` that all services share. In development a violation fails the request; elsewhere it is
 * logged.
 */
export function operationOptions({
  environment,
  logger,
  observer,
  shutdown,
  errorFormat = plainErrors,
}: {
  environment: Environment;
  logger: Logger;
  observer?: Observer | undefined;
  /** Ends event streams, so that their clients connect to another process. */
  shutdown?: AbortSignal | undefined;
  errorFormat?: ErrorFormat | undefined;
}) {
  const isDevelopment = environment === "development";
  return {
    problemFormat: errorFormat,
    warm: true,
    streams: shutdown === undefined ? {} : { shutdown },
    checkResponses: isDevelopment ? ("always" as const) : { sample: SAMPLE_RATE },
    onViolation: (violation: Violation) => {
      observer?.onViolation(violation);
      if (isDevelopment) throw new ContractViolation(violation);
      logger.error({ violation }, "a response breaks the contract");
    },
  };
}

/** Thrown in development for a response that breaks the contract. */
class ContractViolation extends Error {
  override name = "ContractViolation";

  constructor({ operationId, status, pointer, message, valueType }: Violation) {
    super(`${operationId}: response ${status} breaks the contract at ${pointer} (type ${valueType}): ${message}`);
  }
}

/** Observes requests and violations. An observer changes nothing and never throws. */
export interface Observer {
  /** Called with each request that arrives. */
  observeRequest: (request: Request, response: Response) => void;
  /** Called with each violation found in a response. */
  onViolation: (violation: Violation) => void;
  /** Called once, with a function that checks whether the service is ready. */
  observeReadiness: (isReady: () => Promise<boolean>) => void;
}
