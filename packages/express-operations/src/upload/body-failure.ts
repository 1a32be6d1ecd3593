import { Problem } from "../problem.ts";
import type { BodyStream } from "./body-stream.ts";

/** The most causes of an error that are examined. */
const MAX_CAUSES = 10;

/**
 * Calls a handler. If the handler rejects because of a fault of the body, the promise rejects with the `Problem` of that
 * fault. A handler may reject with anything once the client has broken off.
 */
export async function withBodyFailure<Result>(
  body: BodyStream,
  handle: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await handle();
  } catch (error) {
    const { failure } = body;
    if (failure instanceof Problem && (body.isBrokenOff || isCausedBy(error, failure))) throw failure;
    throw error;
  }
}

function isCausedBy(error: unknown, cause: Error): boolean {
  let current = error;
  for (let count = 0; count < MAX_CAUSES && current instanceof Error; count++) {
    if (current === cause) return true;
    current = current.cause;
  }
  return false;
}
