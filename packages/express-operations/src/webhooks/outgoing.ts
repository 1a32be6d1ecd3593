import { type SentParameters, setParameter } from "../example/parameter-style.ts";
import {
  type OpenApiDocument,
  type OperationEntry,
  type ParameterObject,
  type RequestBodyObject,
  resolve,
  isJson,
} from "openapi-document";
import { faultsOf, type RequestData } from "../eov/eov.ts";
import { oneOf } from "../lists.ts";
import { declaredAs, parseMediaType } from "../media-type.ts";
import { Problem } from "../problem.ts";
import { problemOfFaults } from "../request/fault-message.ts";
import { parametersReader } from "../request/parameters.ts";
import { buildValidators, type Validators } from "../eov/validator.ts";
import { InvalidWebhookError } from "./errors.ts";
import { SIGNATURE_HEADERS } from "openapi-document/webhook-signature";

/** The parameters of a message by location, and the media type of its body. */
export interface MessageParts {
  query?: Record<string, unknown> | undefined;
  headers?: Record<string, unknown> | undefined;
  cookies?: Record<string, unknown> | undefined;
  contentType?: string | undefined;
  body: unknown;
}

/** A message as it is sent. */
interface EncodedMessage {
  /** The query without question mark, percent-encoded. */
  query: string;
  headers: Headers;
  /** The body as it is written, and its value as the receiver reads it. */
  payload: string | Uint8Array | undefined;
  value: unknown;
  declaredType: string | undefined;
}

const PLACES = { query: "query", header: "headers", cookie: "cookies" } as const;

/**
 * Returns the functions that encode and validate the messages of an operation. They are validated as a receiver reads them,
 * by the schemas of requests, which are compiled for the first message. Path parameters are ignored, because the receiver
 * chooses the path. Headers of the signature are not validated.
 */
export function outgoing(document: OpenApiDocument, declared: OperationEntry) {
  const isSent = ({ in: location, name }: ParameterObject) =>
    location !== "path" && !(SIGNATURE_HEADERS as readonly string[]).includes(name.toLowerCase());
  const entry = { ...declared, parameters: declared.parameters.filter(isSent) };
  const requestBody = resolve<RequestBodyObject | undefined>(document, entry.operation.requestBody);
  const mediaTypes = Object.keys(requestBody?.content ?? {});
  const read = parametersReader(document, { ...entry, path: "" }, []);
  let compiled: Validators | undefined;

  const encode = (parts: MessageParts): EncodedMessage => {
    const sent: SentParameters = { path: {}, query: [], headers: new Headers(), cookies: {} };
    for (const parameter of entry.parameters) {
      const value = parts[PLACES[parameter.in as keyof typeof PLACES]]?.[parameter.name];
      if (value !== undefined) setParameter(sent, parameter, value);
    }
    const cookies = Object.entries(sent.cookies).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    if (cookies.length > 0) sent.headers.set("Cookie", cookies.join("; "));
    const query = sent.query.map(({ text }) => text).join("&");
    const { contentType, ...body } = encodeBody(entry.id, mediaTypes, parts);
    if (contentType !== undefined) sent.headers.set("Content-Type", contentType);
    return { query, headers: sent.headers, ...body };
  };

  const expectValid = async ({ query, headers, value, declaredType }: EncodedMessage): Promise<void> => {
    compiled ??= buildValidators(document, entry);
    const validator = compiled.get(declaredType);
    if (validator === undefined) throw new InvalidWebhookError(entry.id, `It needs a body of ${oneOf(mediaTypes)}.`);
    const { path, ...parameters } = readAgain(entry.id, () =>
      read([], { url: `?${query}`, headers: Object.fromEntries(headers) }),
    );
    const data: RequestData = { ...parameters, params: path, body: structuredClone(value) };
    const faults = [validator.parameters, ...(isOpaque(value) ? [] : [validator.body])].flatMap((validate) =>
      validate(data) ? [] : faultsOf(validate),
    );
    if (faults.length === 0) return;
    const { message, errors } = problemOfFaults(document, entry.parameters, faults);
    throw new InvalidWebhookError(entry.id, message, errors);
  };

  return { encode, expectValid };
}

function readAgain<Result>(webhook: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof Problem) throw new InvalidWebhookError(webhook, error.message, error.errors);
    throw error;
  }
}

function encodeBody(webhook: string, mediaTypes: string[], { contentType, body }: MessageParts) {
  if (body === undefined)
    return { payload: undefined, value: undefined, declaredType: undefined, contentType: undefined };
  const sent = contentType ?? mediaTypes[0] ?? "";
  const mediaType = parseMediaType(sent);
  const declaredType = mediaType && declaredAs(mediaType, mediaTypes);
  if (declaredType === undefined || mediaType!.essence.includes("*")) {
    const remedy = mediaTypes.length === 0 ? "It has no body." : `Its media type is ${oneOf(mediaTypes)}.`;
    throw new InvalidWebhookError(webhook, remedy);
  }
  if (isJson(mediaType!.essence)) {
    const payload = JSON.stringify(body) as string | undefined;
    if (payload === undefined) throw new InvalidWebhookError(webhook, "Its body cannot be written as JSON.");
    return { payload, value: JSON.parse(payload) as unknown, declaredType, contentType: sent };
  }
  if (typeof body !== "string" && !isOpaque(body))
    throw new InvalidWebhookError(webhook, `A body of ${declaredType} is sent as a string or as bytes.`);
  return { payload: body, value: body, declaredType, contentType: sent };
}

/** Returns whether a body is bytes, which no schema describes. */
function isOpaque(body: unknown): body is Uint8Array {
  return body instanceof Uint8Array;
}
