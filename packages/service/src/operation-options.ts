import type { Violation } from "express-operations";
import type { Logger } from "pino";
import { problemBody } from "./problems.ts";
import { noteOperation } from "./http/request-state.ts";
import { noopObserver, type Observer } from "./observability/observer.ts";
import type { Environment } from "./settings.ts";

/** The share of answers that are checked in service. */
const SAMPLE = 0.01;

/** The options of `implement` that are the same for each service of this kind. Violations end a request in development alone. */
export function operationOptions({
  environment,
  logger,
  observer = noopObserver,
}: {
  environment: Environment;
  logger: Logger;
  observer?: Observer | undefined;
}) {
  const isDevelopment = environment === "development";
  return {
    problemBody,
    warm: true,
    onOperation: noteOperation,
    checkResponses: isDevelopment ? ("always" as const) : { sample: SAMPLE },
    onViolation: (violation: Violation) => {
      observer.onViolation(violation);
      if (isDevelopment) throw new ContractViolation(violation);
      logger.error({ violation }, "an answer breaks the contract");
    },
  };
}

/** While the service is developed, an answer that breaks the contract is a fault; in service it is only reported. */
class ContractViolation extends Error {
  override name = "ContractViolation";

  constructor({ operationId, status, pointer, message, valueType }: Violation) {
    super(`${operationId} answered ${status} with ${pointer} of type ${valueType}: ${message}`);
  }
}
