import { isUtf8 } from "node:buffer";
import { Webhook } from "standardwebhooks";

/**
 * The secret of one receiver, base64 with or without the prefix `whsec_`. While a secret is rotated, a list of the new one
 * and the old one: messages are signed with each, and a signature by one of them suffices.
 */
export type WebhookSecret = string | readonly string[];

/** A message as it is signed. */
export interface UnsignedMessage {
  id: string;
  /** The time of the attempt. */
  timestamp: Date;
  /** The exact bytes of the body. */
  body: string | Uint8Array;
}

/** The headers that Standard Webhooks defines. */
export const SIGNATURE_HEADERS = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;

/**
 * Returns the headers of a message signed with HMAC-SHA256, one signature for each secret (Standard Webhooks 1.0,
 * "Signature scheme"). Throws for a secret that is not base64, and for bytes that are not UTF-8, which the library does
 * not sign.
 */
export function signatureHeaders(secret: WebhookSecret, message: UnsignedMessage): Record<string, string> {
  const { id, timestamp, body } = message;
  const payload = typeof body === "string" ? body : Buffer.from(body);
  if (typeof payload !== "string" && !isUtf8(payload))
    throw new Error("Only bodies in UTF-8 can be signed with a secret. Give a `signer` for other bytes.");
  const signatures = webhooksFor(secret).map((webhook) => webhook.sign(id, timestamp, payload));
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(timestamp.getTime() / 1000)),
    "webhook-signature": signatures.join(" "),
  };
}

/**
 * Returns whether the headers of a message have a signature of its bytes by one of the secrets, made at most five minutes
 * before or after now (Standard Webhooks 1.0, "Verifying signatures").
 */
export function isAuthentic(
  secret: WebhookSecret,
  headers: Record<string, string | string[] | undefined>,
  bytes: Buffer,
): boolean {
  if (!isUtf8(bytes)) return false; // the library would decode different bytes to the same text
  const given = Object.fromEntries(SIGNATURE_HEADERS.map((name) => [name, String(headers[name] ?? "")]));
  return webhooksFor(secret).some((webhook) => {
    try {
      webhook.verify(bytes, given, { jsonParse: false });
      return true;
    } catch {
      return false;
    }
  });
}

/** Throws for a list without secrets, and for a secret that is not base64. */
export function webhooksFor(secret: WebhookSecret): Webhook[] {
  const secrets = [secret].flat<WebhookSecret[]>();
  if (secrets.length === 0) throw new Error("The list of webhook secrets is empty. Give at least one.");
  return secrets.map((each) => {
    try {
      return new Webhook(each);
    } catch (cause) {
      throw new Error("A webhook secret must be base64, with or without the prefix whsec_.", { cause });
    }
  });
}
