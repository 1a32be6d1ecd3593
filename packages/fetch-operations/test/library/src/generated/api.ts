// Generated from the contract by fetch-operations. Do not edit.
import { type Api, type ClientOptions, type Credential, type FailureCode, OperationError, bearer, basic, apiKey, mutualTls, errorFields } from "fetch-operations";

/** The codes of errors: those of the contract and those of the client. A service may add codes. */
export type ErrorCode =
  | "busy"
  | "not_found"
  | "rejected"
  | "title_taken"
  | FailureCode
  | (string & {});

/** The error of a failed call, thrown by `orThrow()` and by iterations over pages. It never contains a credential. */
export class LibraryError extends OperationError<ErrorCode> {}

/** The address of the service, its credentials and the settings of all calls. */
export interface LibraryOptions extends Omit<ClientOptions, "credentials" | "servers"> {
  /**
   * The URLs for operations with a server of their own, by the URL of that server in the contract. Their calls go there, with
   * their credentials. Without an entry, they go to `baseUrl`.
   */
  servers?: { "https://{zone}.files.example/{rest}"?: string | URL; "/files"?: string | URL } | undefined;
  /** The credential, sent to `baseUrl` and `servers` only. */
  token: Credential;
  /** The credentials by security scheme, sent to `baseUrl` and `servers` only. */
  credentials?: { "user"?: Credential | undefined; "key"?: Credential | undefined; "session"?: Credential | undefined; "certificate"?: Credential | undefined; "login"?: Credential | undefined } | undefined;
}

/** The parts of the contract that all operations share. */
export const api: Api = {
  "name": "Library",
  "version": "7.0.0",
  "error": LibraryError as never,
  "schemes": {
    "token": bearer("token"),
    "user": basic(),
    "key": apiKey("header", "X-Key"),
    "session": apiKey("cookie", "sid"),
    "certificate": mutualTls(),
    "login": bearer()
  },
  "security": [["token"], ["key", "session"]],
  "servers": ["https://{zone}.files.example/{rest}", "/files"],
  "requestIdHeader": "X-Trace",
  "errors": errorFields("reason", "text"),
  "transientCodes": ["busy"]
};
