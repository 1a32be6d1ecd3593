import type { Api } from "../api.ts";
import type { Fetch } from "../fetch.ts";
import type { OperationDescription } from "../operation.ts";
import type { CallOptions, ClientOptions, Limits } from "../options.ts";
import type { Credential } from "../parts/authentication.ts";
import type { RetryBudget } from "../parts/retry.ts";
import type { RequestParts } from "../request/request-parts.ts";
import type { UntypedResult } from "../result.ts";

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
  /** Returns the numbers among the options of a call, over those of the client. Throws a TypeError that names an invalid one. */
  readonly limitsOf: (options: CallOptions, numbers: Limits) => Limits;
  readonly parts: readonly Part[];
  /** The names of the options of calls. */
  readonly ofCalls: readonly string[];
  /** The retries that are left to all calls together. */
  readonly budget: RetryBudget;
  /** The operationIds whose deprecation has been reported. */
  readonly reported: Set<string>;
  /** The token of the last write, by the URL of its service. */
  readonly tokens: Record<string, string>;
  /** Returns the credential of a security scheme. */
  readonly credential: (name: string) => Credential | undefined;
  /** openapi-fetch's client. The types of its `request` need the path as a literal, which is not known here. */
  readonly client: {
    request: (
      method: string,
      path: string,
      init: object,
    ) => Promise<{ data?: unknown; error?: unknown; response: Response }>;
  };
}

/** An optional part of a connection. Bundlers leave out the parts that a program does not import. */
export interface Part {
  /** The names of its options of clients. */
  readonly options: readonly string[];
  /** The names of its options of calls. */
  readonly ofCalls?: readonly string[];
  /** The defaults of its numbers among the options. */
  readonly defaults?: Partial<Limits>;
  /** Returns the numbers among the options of a client or call. `numbers` are those of the client, or the defaults. */
  readonly limits?: (options: object, numbers: Limits) => Limits;
  /** Returns headers of every request. */
  readonly headers?: (api: Api, options: ClientOptions) => Record<string, string | undefined>;
  /** Returns headers of a call, which are the same for all attempts. Those of the call take precedence. */
  readonly headersOf?: (operation: OperationDescription) => Record<string, string> | undefined;
  /** Returns the `fetch` of an attempt around one that adds credentials. */
  readonly ofAttempt?: (fetch: Fetch, exchange: Exchange) => Fetch;
  /** Returns the `fetch` of a call around that of its attempts. */
  readonly ofCall?: (fetch: Fetch, exchange: Exchange) => Fetch;
}

/** The facts of a call that its result and its errors report. */
export interface Facts {
  readonly api: Api;
  /** The response, as soon as it arrives. */
  response?: Response | undefined;
  /** The texts of credentials that no error may show. */
  readonly secrets: string[];
}

/** A call: its request, its state, and its result at the end. */
export interface Exchange extends Facts {
  readonly connection: Connection;
  operation: OperationDescription;
  readonly options: CallOptions;
  readonly settings: Limits;
  /** The URL of the service, without a slash at its end. */
  readonly baseUrl: string;
  /** Follows the signal of the call's options. */
  readonly signal: AbortSignal | undefined;
  readonly parts: () => RequestParts;
  /** The number of the attempt: 1 for the first. */
  attempt: number;
  /** The URL without credentials, as soon as the request is sent. */
  url?: string;
  /** The error of the connection, or of a function of the user, with which the call rejects. */
  thrown?: { error: unknown; isUsers: boolean } | undefined;
  /** Whether the body is a stream, which can be sent once. */
  isOnce?: boolean;
  /** Whether the body is read after the end of the call. */
  isHeld?: boolean;
  /** The declared media type of a success, if there are several. */
  contentType?: string;
  result: UntypedResult;
}

/** An exchange whose response has arrived. */
export interface ResponseExchange extends Exchange {
  response: Response;
}
