import type { RequestParts } from "../request/request-parts.ts";
import type { UntypedResult } from "../response/result-types.ts";

/** A request's result and URL. The URL is undefined when the request could not be sent; it has no credentials. */
export interface Exchange {
  result: UntypedResult;
  url?: string | undefined;
  /** Whether another credential can be asked for. */
  isRenewable?: boolean;
  /** Whether the body was a stream, which can be sent once. */
  isOnce?: boolean;
}

/** One attempt of a call. */
export interface Attempt {
  parts: RequestParts;
  headers: Record<string, string>;
  /** 1 for the first. */
  count: number;
  /** The limit to the end of the body. */
  milliseconds: number;
  signal: AbortSignal | undefined;
  /** Whether the service rejected the credential before. */
  isRejected: boolean;
  /** Leaves the body of a success unread. */
  isRaw: boolean;
  resend: (headers: Record<string, string>) => Promise<Response>;
}

/** The state of an attempt that its failure reports. */
export interface AttemptState {
  url?: string;
  response?: Response;
  /** The text of an error response. */
  text?: string;
  secrets: string[];
  isRenewable: boolean;
  /** Whether the body is a stream. */
  isOnce: boolean;
  /** Whether the body is read after the end of the attempt. */
  isHeld: boolean;
}
