import { problem } from "./problems.ts";

/** The part of a handler's input that a stub reads. */
interface StubInput {
  operationId: string;
}

/**
 * Returns the handler of an operation that is not written yet. It validates requests like any other, and responds to valid
 * ones with 501 in the format of the service's errors.
 */
export function stub() {
  return {
    isStub: true,
    handler: ({ operationId }: StubInput): Promise<never> =>
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
