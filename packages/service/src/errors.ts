/**
 * The errors of the platform: code, status and message, which express-operations words itself where it refuses. Codes are never
 * reused or renamed. Resources may answer with codes of their own.
 */
export const ERRORS = {
  invalid_request: { status: 400, message: "The request is not valid HTTP." },
  unauthorized: { status: 401, message: "A valid API key is required, sent as: Authorization: Bearer <API_KEY>." },
  forbidden: { status: 403, message: "The API key lacks the scope this operation needs." },
  not_found: { status: 404, message: "There is nothing at this path." },
  method_not_allowed: {
    status: 405,
    message: "This method is not allowed here. The Allow header names those that are.",
  },
  not_acceptable: { status: 406, message: "The service answers with application/json." },
  request_timeout: { status: 408, message: "The request did not arrive in time." },
  idempotency_in_progress: {
    status: 409,
    message: "The first request with this Idempotency-Key is still running. Retry shortly.",
  },
  precondition_failed: { status: 412, message: "Nothing here can be compared with If-Match or If-None-Match." },
  payload_too_large: { status: 413, message: "The request body is larger than 64 KiB." },
  uri_too_long: { status: 414, message: "The path with its query is longer than 8 KiB. Shorten it." },
  unsupported_media_type: { status: 415, message: "Send the body as application/json." },
  expectation_failed: { status: 417, message: "The only Expect header supported is 100-continue." },
  idempotency_key_reused: {
    status: 422,
    message: "This Idempotency-Key was used before for another request. Use a new key.",
  },
  rate_limited: { status: 429, message: "Too many requests. Retry later." },
  headers_too_large: { status: 431, message: "The request line and headers are larger than 16 KiB. Send less." },
  internal_error: { status: 500, message: "The service failed to answer. The fault is recorded." },
  not_implemented: { status: 501, message: "The service does not know this method." },
  unavailable: { status: 503, message: "The service cannot answer now. Retry later." },
} as const satisfies Record<string, { status: number; message: string }>;

/** What every response outside 2xx and 304 holds. */
export interface ErrorBody {
  code: string;
  message: string;
  status: number;
}

/** The `code` of an error. */
export type ErrorCode = keyof typeof ERRORS;

/** The body of an error, with the message of its code unless a better one is given. */
export function errorBody(code: ErrorCode, message: string = ERRORS[code].message): ErrorBody {
  return { code, message, status: ERRORS[code].status };
}

/** What is sent for an error below Express, where the connection cannot go on. */
export function closingError(code: ErrorCode) {
  const body = JSON.stringify(errorBody(code));
  return {
    body,
    headers: {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(body),
      "Cache-Control": "no-store",
      Connection: "close",
    },
  };
}
