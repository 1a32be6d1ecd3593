import { Problem, type ProblemContext, type ProblemResponse } from "express-operations";
import { errorBody, type ErrorCode, ERRORS } from "./errors.ts";

/** Returns a `Problem` with the status of its code. The message defaults to that of the code. */
export function problem(
  code: ErrorCode,
  headers?: Record<string, string>,
  message: string = ERRORS[code].message,
): Problem {
  return new Problem(ERRORS[code].status, code, message, headers);
}

/** Returns the body of an error, and its media type if that is not `application/json`. */
export type ErrorFormat = (problem: Problem, context: ProblemContext) => Pick<ProblemResponse, "body" | "contentType">;

/** The context of an error outside all operations. */
export const NO_OPERATION: ProblemContext = { operationId: undefined, contentTypes: [] };

/** Writes each error as `ErrorBody`. Each 401 has the same message. */
export const plainErrors: ErrorFormat = ({ code, message, status }) => ({
  body: code === "unauthorized" ? errorBody(code) : { code, message, status },
});

/** Returns the media type of an error, and its body as a string. */
export function encodeError({ contentType = "application/json", body }: ReturnType<ErrorFormat>): {
  contentType: string;
  body: string;
} {
  return { contentType, body: /\bjson\b/i.test(contentType) ? JSON.stringify(body) : String(body) };
}

/** Returns status, body and headers of an error that closes its connection, for errors that Express never sees. */
export function closingError(fault: Problem, format: ErrorFormat) {
  const { contentType, body } = encodeError(format(fault, NO_OPERATION));
  return {
    status: fault.status,
    body,
    headers: {
      "Content-Type": contentType,
      "Content-Length": Buffer.byteLength(body),
      "Cache-Control": "no-store",
      ...fault.headers,
      Connection: "close",
    },
  };
}
