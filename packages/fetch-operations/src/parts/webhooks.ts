import {
  SIGNATURE_HEADERS,
  signatureFault,
  type SignatureFault,
  type WebhookSecret,
} from "openapi-document/webhook-signature";
import { CallFailure } from "../call/call-failure.ts";
import { JsonError, parseJson } from "./json.ts";
import { chunksOf, TooLargeError } from "./size-limit.ts";

export type { WebhookSecret };

/** How webhooks are received. */
export interface WebhookOptions<Payload> {
  /** The secret that the sender signs with. While it is rotated, a list of the new one and the old one. */
  secret: WebhookSecret;
  /** Reads the payload, as `readWebhook.newBooking` of the generated `webhooks.ts`. Default: `parseJson`. */
  read?: (text: string) => Payload;
}

/** The error of a message that is not authentic, too large or unreadable. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
  /** `missing_header`, `wrong_time`, `wrong_signature`, `too_large` or `unreadable_payload`. */
  readonly code: SignatureFault | "too_large" | "unreadable_payload";
  /** The status for the response, which Express sends too: 401, 413 or 400. */
  readonly status: number;

  constructor(code: WebhookError["code"], message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.status = code === "too_large" ? 413 : code === "unreadable_payload" ? 400 : 401;
  }
}

/**
 * Verifies the signature of a request (Standard Webhooks 1.0) over the bytes of its body, and resolves to the payload. Rejects with
 * a `WebhookError` for a message that is not authentic or has a body of more than `maxBytes`, by default 1 MiB. Repeated messages
 * have one `webhook-id`, by which the program recognizes them.
 */
export async function receiveWebhook<Payload = unknown>(
  { headers, body }: Request,
  { maxBytes = 1_048_576, ...options }: WebhookOptions<Payload> & { maxBytes?: number },
): Promise<Payload> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  try {
    if (body) for await (const chunk of chunksOf(body, maxBytes, headers.get("Content-Length"))) chunks.push(chunk);
  } catch (error) {
    throw error instanceof TooLargeError ? new WebhookError("too_large", error.message, error) : error;
  }
  return verifyWebhook(headers, new Uint8Array(await new Blob(chunks).arrayBuffer()), options);
}

/**
 * Verifies a message whose body has been read, as `receiveWebhook` does. `body` is the body as it arrived, and not the value of its
 * JSON. `headers` may be those of Node.
 */
export async function verifyWebhook<Payload = unknown>(
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>,
  body: string | Uint8Array,
  { secret, read = parseJson as (text: string) => Payload }: WebhookOptions<Payload>,
): Promise<Payload> {
  const own = Symbol.iterator in headers ? Object.fromEntries(headers) : headers;
  const entries = Object.entries(own).map(([name, value]) => [name.toLowerCase(), String(value ?? "")] as const);
  const given = new Map(entries);
  const fault = await signatureFault(secret, (name) => given.get(name), body);
  if (fault !== undefined) {
    const missing = SIGNATURE_HEADERS.filter((name) => !given.get(name)).join(", ");
    const problems = {
      missing_header: `The message has no header ${missing}, so it is not signed.`,
      wrong_time: "The webhook-timestamp is more than five minutes from now: the message is old, or a clock is wrong.",
      wrong_signature:
        "No signature matches the message: it was signed with another secret, or its body has changed, for example by a parser.",
    };
    throw new WebhookError(fault, problems[fault]);
  }
  try {
    return read(typeof body === "string" ? body : new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (cause) {
    const problem =
      cause instanceof JsonError ? cause.problem : cause instanceof CallFailure ? cause.message : "cannot be read";
    throw new WebhookError("unreadable_payload", `The payload ${problem}.`, cause);
  }
}
