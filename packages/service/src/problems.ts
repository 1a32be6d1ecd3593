import { Problem } from "express-operations";
import { type ErrorBody, errorBody, type ErrorCode, ERRORS } from "./errors.ts";

/** The body of a refusal made by express-operations: its message, save for 401, which is one and the same for all. */
export function problemBody({ code, message, status }: Problem): ErrorBody {
  return code === "unauthorized" ? errorBody(code) : { code, message, status };
}

/** What a thrown error becomes on the wire. Only a Problem speaks for itself; nothing else shows what it is. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return problem("internal_error");
}

/** A refusal with the status of its code, and its message unless a better one is given. */
export function problem(
  code: ErrorCode,
  headers?: Record<string, string>,
  message: string = ERRORS[code].message,
): Problem {
  return new Problem(ERRORS[code].status, code, message, headers);
}
