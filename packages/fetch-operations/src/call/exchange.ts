import type { Api } from "../api.ts";
import type { OperationDescription } from "../operation.ts";
import type { CallOptions, ClientOptions, FetchLike, Limits } from "../options.ts";
import type { RequestParts } from "../request/request-parts.ts";
import type { UntypedResult } from "../result.ts";
import type { Credential } from "../security/schemes.ts";

/** A service's address and the settings of its calls. */
export interface Connection {
  readonly api: Api;
  /** The URL without a slash at its end. */
  readonly baseUrl: string;
  /** Returns the URL for an operation: the base URL, unless the options name another one for the operation's own server. */
  readonly baseUrlOf: (operation: OperationDescription) => string;
  /** Returns the options. They are not a field, so that inspection does not show the credentials. */
  readonly options: () => ClientOptions;
  readonly limits: Limits;
  readonly part: Omit<Part, "options">;
  /** The names of the options of calls. */
  readonly ofCalls: readonly string[];
  /** The retries that are left to all calls together, so that a failing service does not get a multiple of its load. */
  readonly budget: { left: number };
  readonly fetch: FetchLike;
  /** The operationIds whose deprecation has been reported. */
  readonly reported: Set<string>;
  /** Returns the credential of a security scheme. */
  readonly credential: (name: string) => Credential | undefined;
  /** openapi-fetch's `request`. Its own types need the path as a literal, which is not known here. */
  readonly request: (method: string, path: string, init: object) => Promise<unknown>;
}

/** An optional part of a connection. Bundlers leave out the parts that a program does not import. */
export interface Part {
  /** The names of its options of clients. */
  readonly options: readonly string[];
  /** The names of its options of calls. */
  readonly ofCalls?: readonly string[];
  /** Returns the numbers among the options of a client or call. `numbers` are those of the client, or the defaults. */
  readonly limits?: (options: object, numbers: Limits) => Limits;
  /** Sends a request, once or more often. */
  readonly repeat?: (given: Attempt, settings: Limits) => Promise<Exchange>;
  /** Called at the end of a call, with the headers of the response if one arrived. */
  readonly report?: (connection: Connection, operation: OperationDescription, headers?: Headers) => void;
  /** Sends the request of an attempt, and sees it and its response. */
  readonly observe?: (exchange: Exchange, request: BuiltRequest) => Promise<Response>;
  /** Returns headers of every request. */
  readonly headers?: (api: Api, options: ClientOptions) => Record<string, string | undefined>;
}

/** The parts of an exchange that a failure reports. */
export interface Facts {
  readonly api: Api;
  /** The response, as soon as it arrives. */
  response?: Response;
  /** The texts of credentials that no error may show. */
  readonly secrets: string[];
}

/** The request of an attempt. */
export interface Attempt {
  readonly api: Api;
  readonly connection: Connection;
  readonly operation: OperationDescription;
  readonly options: CallOptions;
  /** The largest body in bytes. */
  readonly limit: number;
  /** 1 for the first. */
  readonly count: number;
  /** Whether the service rejected the credential before. */
  readonly isRejected: boolean;
  readonly parts: () => RequestParts;
}

/** One attempt of a call: its request, its state, and its result at the end. */
export interface Exchange extends Attempt, Facts {
  readonly api: Api;
  /** The signal of the attempt. */
  readonly signal: AbortSignal;
  /** The URL without credentials, as soon as the request is sent. */
  url?: string;
  /** Whether an error now comes from a function of the user, so that the call rejects with it. */
  isUserError?: boolean;
  /** Whether another credential can be asked for. */
  isRenewable?: boolean;
  /** Whether the body is a stream, which can be sent once. */
  isOnce?: boolean;
  /** Whether the body is read after the end of the attempt. */
  isHeld?: boolean;
  /** The declared media type of a success, if there are several. */
  contentType?: string;
  result: UntypedResult;
}

/** A request as openapi-fetch builds it, without credentials. */
export interface BuiltRequest {
  readonly url: string;
  readonly init: RequestInit & { readonly headers: Headers };
}

/** An exchange whose response has arrived. */
export interface ResponseExchange extends Exchange {
  response: Response;
}
