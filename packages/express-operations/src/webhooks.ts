/** Sends the webhooks and callbacks of an OpenAPI document. */
export { InvalidWebhookError, WebhookDeliveryError } from "./webhooks/errors.ts";
export { callbackSenders, type SenderOptions, type Signer, webhookSenders } from "./webhooks/senders.ts";
export type { CallbackSource } from "./webhooks/expression.ts";
export type { RetryOptions } from "./webhooks/delivery.ts";
export type { UnsignedMessage, WebhookSecret } from "./webhooks/signature.ts";
export type {
  CallbackOperations,
  CallbackSender,
  Delivery,
  SendOptions,
  WebhookOperations,
  WebhookSender,
} from "./webhooks/types.ts";
