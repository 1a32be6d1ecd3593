/**
 * The errors of the platform, with status and message by code. Codes are never reused or renamed. Errors of express-operations
 * carry messages of its own; resources may return codes of their own.
 */
export const ERRORS = {
  invalid_request: { status: 400, message: "The HTTP request is malformed." },
  unauthorized: { status: 401, message: "A valid API key is required, sent as: Authorization: Bearer <API_KEY>." },
  forbidden: { status: 403, message: "The API key lacks the scope this operation needs." },
  not_found: { status: 404, message: "There is no resource at this path." },
  method_not_allowed: {
    status: 405,
    message: "This method is not allowed here. The Allow header lists the allowed methods.",
  },
  not_acceptable: { status: 406, message: "The service returns application/json only." },
  request_timeout: { status: 408, message: "The request did not arrive in time." },
  idempotency_in_progress: {
    status: 409,
    message: "The first request with this Idempotency-Key is still running. Retry shortly.",
  },
  precondition_failed: {
    status: 412,
    message: "This resource does not support If-Match or If-None-Match. Leave the header out.",
  },
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
  internal_error: { status: 500, message: "The service failed because of an internal error. The error is logged." },
  not_implemented: { status: 501, message: "The service does not implement this method." },
  unavailable: { status: 503, message: "The service is temporarily unavailable. Retry later." },
  http_version_not_supported: { status: 505, message: "The service supports HTTP/1.1 and HTTP/1.0 only." },
} as const satisfies Record<string, { status: number; message: string }>;

/** The body of every response with a status other than 2xx and 304. */
export interface ErrorBody {
  code: string;
  message: string;
  status: number;
}

/** The `code` of an error. */
export type ErrorCode = keyof typeof ERRORS;

/** Returns the body of an error. The message defaults to that of the code. */
export function errorBody(code: ErrorCode, message: string = ERRORS[code].message): ErrorBody {
  return { code, message, status: ERRORS[code].status };
}
