import type { RequestFault } from "../problem.ts";

/** A message that was not sent, because it does not match the document or has no usable URL. Sending it again is useless. */
export class InvalidWebhookError extends Error {
  override name = "InvalidWebhookError";
  /** The webhook or the callback. */
  readonly webhook: string;
  /** The faults of parameters and body, without values. Empty if the URL or the id is the fault. */
  readonly errors: readonly RequestFault[];

  constructor(webhook: string, fault: string, errors: readonly RequestFault[] = []) {
    super(`The message of "${webhook}" was not sent. ${fault}`);
    this.webhook = webhook;
    this.errors = errors;
  }
}

/**
 * A message whose last attempt got no response: the connection failed or the time-out passed. `cause` is the error of the
 * last attempt. Send the message again later with the same `id`.
 */
export class WebhookDeliveryError extends Error {
  override name = "WebhookDeliveryError";
  readonly webhook: string;
  /** The origin of the URL. Path and query may be secret. */
  readonly origin: string;
  readonly id: string;
  readonly attempts: number;
  readonly isTimeout: boolean;

  constructor(
    facts: Pick<WebhookDeliveryError, "webhook" | "origin" | "id" | "attempts" | "isTimeout">,
    cause: unknown,
  ) {
    const { webhook, origin, id, attempts, isTimeout } = facts;
    const last = isTimeout ? "timed out" : "failed without a response";
    super(`"${webhook}" was not delivered to ${origin}. Attempt ${attempts}, the last, ${last}.`, { cause });
    this.webhook = webhook;
    this.origin = origin;
    this.id = id;
    this.attempts = attempts;
    this.isTimeout = isTimeout;
  }
}
