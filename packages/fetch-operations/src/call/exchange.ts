import type { Api } from "../api.ts";
import type { Connection } from "../connection.ts";
import type { OperationDescription } from "../operation.ts";
import type { CallOptions } from "../options.ts";
import type { RequestParts } from "../request/request-parts.ts";
import type { UntypedResult } from "../response/result-types.ts";

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
  /** Leaves the body of a success unread. */
  readonly isRaw: boolean;
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

/** An exchange whose response has arrived. */
export interface ResponseExchange extends Exchange {
  response: Response;
}
