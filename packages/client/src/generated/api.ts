// Generated from the contract by fetch-operations. Do not edit.
import { type Api, type ClientOptions, type Credential, type FailureCode, OperationError, bearer, errorFields } from "fetch-operations";

/** The codes of errors: those of the contract and those of the client. A service may add codes. */
export type ErrorCode =
  | "forbidden"
  | "idempotency_in_progress"
  | "idempotency_key_reused"
  | "internal_error"
  | "invalid_request"
  | "not_acceptable"
  | "not_found"
  | "payload_too_large"
  | "precondition_failed"
  | "rate_limited"
  | "unauthorized"
  | "unavailable"
  | "unsupported_media_type"
  | FailureCode
  | (string & {});

/** The error of a failed call, thrown by `orThrow()` and by iterations over pages. It never contains a credential. */
export class PetstoreError extends OperationError<ErrorCode> {}

/** The address of the service, its credentials and the settings of all calls. */
export interface PetstoreOptions extends Omit<ClientOptions, "credentials" | "servers"> {
  /** The credential, sent to the origin of `baseUrl` only. */
  apiKey: Credential;
}

/** The parts of the contract that all operations share. */
export const api: Api = {
  "name": "Petstore",
  "version": "1.0.0",
  "error": PetstoreError as never,
  "schemes": { "bearerAuth": bearer("apiKey") },
  "security": [["bearerAuth"]],
  "requestIdHeader": "X-Request-Id",
  "errors": errorFields("code", "message"),
  "transientCodes": ["idempotency_in_progress"]
};
