import { Problem } from "express-operations";
import { type ErrorBody, errorBody, type ErrorCode, ERRORS } from "./errors.ts";

/** Returns the body of a `Problem` of express-operations. Each 401 has the same message. */
export function problemBody({ code, message, status }: Problem): ErrorBody {
  return code === "unauthorized" ? errorBody(code) : { code, message, status };
}

/**
 * Returns the `Problem` to send for a thrown error. Errors of other classes become `internal_error`, so that clients never see
 * their messages.
 */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return problem("internal_error");
}

/** Returns a `Problem` with the status of its code. The message defaults to that of the code. */
export function problem(
  code: ErrorCode,
  headers?: Record<string, string>,
  message: string = ERRORS[code].message,
): Problem {
  return new Problem(ERRORS[code].status, code, message, headers);
}
