/** Sends the webhooks and callbacks of an OpenAPI document. */
import { randomUUID } from "node:crypto";
import { type OpenApiDocument, type OperationEntry, readableDocument, callbacksOf, webhooksOf } from "openapi-document";
import {
  secretBytes,
  signatureHeaders,
  type UnsignedMessage,
  type WebhookSecret,
} from "openapi-document/webhook-signature";
import { declaredResponseReader } from "./declared-response.ts";
import { deliver, type DeliveryOptions, type RetryOptions } from "./delivery.ts";
import { InvalidWebhookError } from "./errors.ts";
import { callbackUrl, type CallbackSource, httpUrl } from "./expression.ts";
import { type MessageParts, outgoing } from "./outgoing.ts";
import type {
  CallbackOperations,
  CallbackSender,
  Delivery,
  SendOptions,
  WebhookOperations,
  WebhookSender,
} from "./types.ts";

export { InvalidWebhookError, WebhookDeliveryError } from "./errors.ts";
export type { CallbackSource } from "./expression.ts";
export type { RetryOptions } from "./delivery.ts";
export type { UnsignedMessage, WebhookSecret } from "openapi-document/webhook-signature";
export type * from "./types.ts";

/** Returns the headers that authenticate a message, for signatures other than those of a secret. */
export type Signer = (
  message: UnsignedMessage & { url: URL },
) => Record<string, string> | Promise<Record<string, string>>;

/** The options of `webhookSenders` and `callbackSenders`. */
export interface SenderOptions {
  /** The OpenAPI document, parsed and bundled into one. */
  document: OpenApiDocument;
  /** Signs messages to receivers without a secret of their own. */
  secret?: WebhookSecret;
  /** Signs messages in place of a secret. */
  signer?: Signer;
  /** The longest time of an attempt in milliseconds. Default: 15,000. */
  timeout?: number;
  retry?: RetryOptions;
  /** Sends requests. A `fetch` that does not connect to private addresses protects the network of the sender. */
  fetch?: typeof globalThis.fetch;
}

/**
 * Returns a sender for each webhook of a document, as in `webhookSenders<webhooks>()(options)`. `Signed` are the declared
 * headers that `signer` sets.
 */
export function webhookSenders<Webhooks, Signed extends string = never>() {
  return (
    options: SenderOptions,
  ): { [Id in keyof WebhookOperations<Webhooks>]: WebhookSender<WebhookOperations<Webhooks>[Id], Signed> } => {
    const document = readableDocument(options.document);
    const entries = webhooksOf(document);
    return Object.fromEntries(
      entries.map((entry) => [entry.id, { send: senderOf(entry, { ...options, document }) }]),
    ) as never;
  };
}

/**
 * Returns a sender for each callback of a document, by the operation that it follows:
 * `callbackSenders<webhooks>()(options).subscribe.onEvent`. The types are those of `withRequestDefaultsRequired`.
 */
export function callbackSenders<Webhooks, Signed extends string = never>() {
  return (
    options: SenderOptions,
  ): {
    [Id in keyof CallbackOperations<Webhooks>]: {
      [Name in keyof CallbackOperations<Webhooks>[Id]]: CallbackSender<CallbackOperations<Webhooks>[Id][Name], Signed>;
    };
  } => {
    const document = readableDocument(options.document);
    const senders: Record<string, Record<string, CallbackSender<unknown>>> = {};
    for (const { parent, expression, ...entry } of callbacksOf(document)) {
      const resolveUrl = resolverOf(parent, entry, expression);
      const send = senderOf(entry, { ...options, document });
      const url = (source: CallbackSource) => validUrl(entry.id, () => resolveUrl(source));
      (senders[parent.id] ??= {})[entry.id] = {
        url,
        send: async (target, ...message) => {
          const isSource = typeof target === "object" && !(target instanceof URL);
          return send(isSource ? url(target) : target, ...(message as []));
        },
      };
    }
    return senders as never;
  };
}

type AnyOptions = SendOptions & Omit<MessageParts, "body">;

function senderOf(entry: OperationEntry, { document, secret, signer, ...defaults }: SenderOptions) {
  expectMethodOfFetch(entry);
  if (secret !== undefined) secretBytes(secret);
  const { encode, expectValid } = outgoing(document, entry);
  const readResponse = declaredResponseReader(document, entry);
  return async (target: string | URL, body?: unknown, options: AnyOptions = {}): Promise<Delivery<unknown>> => {
    const url = validUrl(entry.id, () => httpUrl(String(target), "The URL"));
    const { id = `msg_${randomUUID().replaceAll("-", "")}`, query, headers, cookies, contentType } = options;
    if (!/^[\w-]+$/.test(id))
      throw new InvalidWebhookError(entry.id, "The id may have letters, digits, _ and -, because it is signed.");
    const message = encode({ query, headers, cookies, contentType, body });
    if (message.query !== "") url.search += `${url.search === "" ? "?" : "&"}${message.query}`;
    const sign = options.secret === undefined ? (signer ?? signerOf(entry, secret)) : signerOf(entry, options.secret);
    const signed = async () => {
      const all = new Headers(message.headers);
      const unsigned = { id, timestamp: new Date(), body: message.payload ?? "", url };
      const signature: unknown = await sign(unsigned);
      if (typeof signature !== "object" || signature === null)
        throw new TypeError(
          `The signer of "${entry.id}" returned no headers, so nothing was sent. Return an object of headers.`,
        );
      for (const [name, value] of Object.entries(signature as Record<string, string>)) all.set(name, value);
      return all;
    };
    await expectValid({ ...message, headers: await signed() });
    const { text, ...received } = await deliver(
      { webhook: entry.id, id, url, method: entry.method.toUpperCase(), body: message.payload, headers: signed },
      settingsOf(defaults, options),
    );
    const { status } = received;
    const response = (await readResponse(status, received.headers, text)) as Delivery<unknown>["response"];
    return { ...received, ok: status >= 200 && status < 300, isGone: status === 410, response, id };
  };
}

/** Throws for a message that `fetch` cannot send. */
function expectMethodOfFetch({ id, method, operation }: OperationEntry): void {
  if (method === "trace") throw new Error(`"${id}" has the method TRACE, which fetch does not send.`);
  if ((method === "get" || method === "head") && operation.requestBody !== undefined)
    throw new Error(`"${id}" has the method ${method.toUpperCase()} and a body, which fetch does not send together.`);
}

function signerOf({ id }: OperationEntry, secret: WebhookSecret | undefined): Signer {
  if (secret === undefined)
    throw new Error(`"${id}" has no secret. Give a secret or a signer to the senders, or a secret to send.`);
  return (message) => signatureHeaders(secret, message);
}

function settingsOf(defaults: Omit<SenderOptions, "document">, options: SendOptions): DeliveryOptions {
  return {
    fetch: defaults.fetch ?? fetch,
    timeout: options.timeout ?? defaults.timeout ?? 15_000,
    retry: { attempts: 3, delay: 1_000, maxDelay: 30_000, ...defaults.retry, ...options.retry },
    signal: options.signal,
  };
}

function resolverOf(parent: OperationEntry, { id }: OperationEntry, expression: string) {
  try {
    return callbackUrl(expression, parent.method);
  } catch (error) {
    throw new Error(`Callback "${id}" of operation "${parent.id}": ${(error as Error).message}`, { cause: error });
  }
}

function validUrl(webhook: string, url: () => URL): URL {
  try {
    return url();
  } catch (error) {
    throw error instanceof SyntaxError ? new InvalidWebhookError(webhook, error.message) : error;
  }
}
