import type { Implementation } from "express-operations";
import type { Logger } from "pino";
import { problem } from "./problems.ts";

/**
 * Returns the handler of an operation that is not written yet. It validates requests like any other, and responds to valid
 * ones with 501 in the format of the service's errors.
 */
export function stub() {
  return {
    isStub: true,
    handler: ({ operationId }: { operationId: string }): Promise<never> =>
      Promise.reject(problem("not_implemented", undefined, `The operation ${operationId} is not implemented yet.`)),
  };
}

/** Returns whether a handler was returned by `stub`. */
export function isStub(handler: object | undefined): boolean {
  return handler !== undefined && "isStub" in handler;
}

/** Returns the operationIds of the handlers that are stubs. */
export function stubsIn(handlers: object): string[] {
  return Object.entries(handlers).flatMap(([id, handler]) => (isStub(handler as object) ? [id] : []));
}

/** Resolves once the operations are compiled. Throws for an operation whose schemas are invalid; for a stub it logs a warning. */
export async function expectValid({ ready }: Implementation, handlers: object, logger: Logger): Promise<void> {
  for (const { operationId, error } of await ready) {
    if (!isStub((handlers as Record<string, object>)[operationId])) throw error;
    logger.warn({ operationId, reason: (error as Error).message }, "the schemas of a stub are invalid");
  }
}
