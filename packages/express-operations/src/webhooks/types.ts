import type { IgnoredHeader, ParametersIn, Responses, StatusOf } from "../types.ts";
import type { Concrete } from "../request/parts.ts";
import type { CallbackSource } from "./expression.ts";
import type { RetryOptions } from "./delivery.ts";
import type { SIGNATURE_HEADERS, WebhookSecret } from "openapi-document/webhook-signature";

/** The methods of a path item that openapi-typescript writes. */
type Method = "get" | "put" | "post" | "delete" | "options" | "head" | "patch" | "trace";

/** The declared methods of a path item. openapi-typescript writes `get?: never` for others. */
type MethodsOf<Item> = {
  [Name in Method & keyof Item]: [Exclude<Item[Name], undefined>] extends [never] ? never : Name;
}[Method & keyof Item];

/** `newBooking`, or `POST newBooking` for an item with several methods. */
type IdOf<Name, Item, Of extends Method> = [MethodsOf<Item>] extends [Of] ? Name : `${Uppercase<Of>} ${Name & string}`;

/** The operations of path items by id. `As` maps the name of an item, to never for those left out. */
type OperationsIn<Items, Names extends keyof Items> = {
  [Name in Names]: {
    [Of in MethodsOf<Items[Name]> as IdOf<Name, Items[Name], Of>]: Items[Name][Of & keyof Items[Name]];
  };
}[Names];

/** The operations of a union of maps as one map. */
type Merged<Maps> = {
  [Id in Maps extends unknown ? keyof Maps : never]: Maps extends { [Own in Id]: infer Operation } ? Operation : never;
};

/** A key of `webhooks` that `withRequestDefaultsRequired` makes of a callback. */
type CallbackKey = `callback ${string}#${string}`;

/** The operations of openapi-typescript's `webhooks`, by the name of the webhook. */
export type WebhookOperations<Webhooks> = Merged<OperationsIn<Webhooks, Exclude<keyof Webhooks, CallbackKey>>>;

/** The operations of callbacks, by the operation that they follow and their name. */
export type CallbackOperations<Webhooks> = {
  [Id in ParentOf<keyof Webhooks>]: Merged<OperationsIn<CallbacksOf<Webhooks, Id>, keyof CallbacksOf<Webhooks, Id>>>;
};

type ParentOf<Key> = Key extends `callback ${infer Id}#${string}` ? Id : never;

type CallbacksOf<Webhooks, Id extends string> = {
  [Key in keyof Webhooks as Key extends `callback ${Id}#${infer Name}` ? Name : never]: Webhooks[Key];
};

/** Sends the messages of one webhook. */
export interface WebhookSender<Operation, Signed extends string = never> {
  /**
   * Validates a message, signs it and sends it to a URL. Resolves to the last response. Rejects with an
   * `InvalidWebhookError` for a message or a URL that is not valid, and with a `WebhookDeliveryError` without a response.
   */
  send: (url: string | URL, ...message: MessageArguments<Operation, Signed>) => Promise<Delivery<Operation>>;
}

/** Sends the messages of one callback. */
export interface CallbackSender<Operation, Signed extends string = never> {
  /** As `send` of a webhook, to a URL or to the one that the request and the response of the operation give. */
  send: (
    target: string | URL | CallbackSource,
    ...message: MessageArguments<Operation, Signed>
  ) => Promise<Delivery<Operation>>;
  /** Resolves the runtime expression of the callback. Throws an `InvalidWebhookError` without an http or https URL. */
  url: (source: CallbackSource) => URL;
}

/** The options of one message. */
export interface SendOptions {
  /** The `webhook-id`, the same in all attempts, for receivers that ignore repeated messages. Default: a random one. */
  id?: string;
  /** The secret of the receiver. Default: the secret of the senders. */
  secret?: WebhookSecret;
  /** Ends the delivery. It rejects with the reason of the signal. */
  signal?: AbortSignal;
  /** The longest time of an attempt in milliseconds. Default: that of the senders. */
  timeout?: number;
  retry?: RetryOptions;
}

/** The last response to a message. */
export interface Delivery<Operation> {
  /** Whether the status is 2xx. Every other status is a failure (Standard Webhooks 1.0). */
  ok: boolean;
  status: number;
  /** The status, media type and body, if the document declares them. Undefined if not. */
  response: DeclaredResponseOf<Operation> | undefined;
  headers: Headers;
  /** Whether the status is 410: the receiver wants no more messages at this URL. */
  isGone: boolean;
  /** The milliseconds that the receiver asked to wait before the next attempt. */
  retryAfter: number | undefined;
  /** The `webhook-id`. Send the message again with it. */
  id: string;
  attempts: number;
}

type DeclaredResponseOf<Operation> = {
  [Key in keyof Responses<Operation>]: { status: StatusOf<Key, keyof Responses<Operation>> } & ContentOf<
    Responses<Operation>[Key]
  >;
}[keyof Responses<Operation>];

type ContentOf<Response> = Response extends { content: infer Content }
  ? { [Type in keyof Content]: { contentType: Concrete<Type>; body: Content[Type] } }[keyof Content]
  : { contentType?: undefined; body?: undefined };

/** The body and the options. Each is optional if nothing in it is required. */
type MessageArguments<Operation, Signed extends string> = ArgumentsOf<
  BodyOf<Operation>,
  ParameterOptions<Operation, Signed>
>;

type ArgumentsOf<Sent, Parameters> = Sent extends { body: infer Body extends unknown[]; options: infer Own }
  ? [...Body, ...OptionsArgument<SendOptions & Parameters & Own>]
  : never;

type OptionsArgument<Options> = Optional<Options> extends true ? [options?: Options] : [options: Options];

type Optional<Options> = Partial<Options> extends Options ? true : false;

/** The bodies of an operation: one member for each media type. */
type BodyOf<Operation> = Operation extends { requestBody: { content: infer Content } }
  ? SentIn<Content, false>
  : Operation extends { requestBody?: { content: infer Content } }
    ? unknown extends Content
      ? NoBody
      : SentIn<Content, true>
    : NoBody;

interface NoBody {
  body: [body?: undefined];
  options: unknown;
}

type SentIn<Content, IsOptional> = {
  [Type in keyof Content]: {
    body: BodyArgument<Type extends `${string}json${string}` ? Content[Type] : string | Uint8Array, IsOptional>;
    options: keyof Content extends Type
      ? Type extends `${string}*${string}`
        ? { contentType: Concrete<Type> }
        : { contentType?: Type }
      : { contentType: Concrete<Type> };
  };
}[keyof Content];

type BodyArgument<Body, IsOptional> = IsOptional extends true ? [body?: Body | undefined] : [body: Body];

type ParameterOptions<Operation, Signed extends string> = Given<"query", ParametersIn<Operation, "query">> &
  Given<"headers", WithoutSigned<ParametersIn<Operation, "header">, Signed>> &
  Given<"cookies", ParametersIn<Operation, "cookie">>;

type Given<Name extends string, Parameters> = keyof Parameters extends never
  ? unknown
  : Optional<Parameters> extends true
    ? { [Key in Name]?: Parameters }
    : { [Key in Name]: Parameters };

/** The headers of the signature are set by the sender. OpenAPI ignores the declarations of others. */
type WithoutSigned<Parameters, Signed extends string> = {
  [
    Name in keyof Parameters as Lowercase<Name & string> extends SetBySender | Lowercase<Signed> ? never : Name
  ]: Parameters[Name];
};

type SetBySender = (typeof SIGNATURE_HEADERS)[number] | IgnoredHeader;
