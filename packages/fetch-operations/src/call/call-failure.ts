import type { FailureCode } from "../result.ts";

/**
 * The error of a request that cannot be sent, or of a response that cannot be read. The message of an `unreadable_answer`
 * continues the sentence "The response 200 (type) …".
 */
export class CallFailure extends Error {
  readonly code: FailureCode;
  /** The text of the body. */
  readonly text: string | undefined;
  constructor(code: FailureCode, message: string, text?: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.text = text;
  }
}

export function unsendable(reason: string, cause?: unknown): CallFailure {
  return new CallFailure("unsendable_request", reason, undefined, cause);
}

export function unreadable(problem: string, text: string, cause?: unknown): CallFailure {
  return new CallFailure("unreadable_answer", problem, text, cause);
}
