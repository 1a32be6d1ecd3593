/** Signs and verifies webhooks (Standard Webhooks 1.0, https://www.standardwebhooks.com), by Web Crypto. */

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

/** The most seconds between the time of an attempt and its verification. */
const TOLERANCE = 300;

/**
 * Returns the headers of a message signed with HMAC-SHA256, one signature for each secret (Standard Webhooks 1.0,
 * "Signature scheme"). Rejects for a secret that is not base64.
 */
export async function signatureHeaders(
  secret: WebhookSecret,
  { id, timestamp, body }: UnsignedMessage,
): Promise<Record<string, string>> {
  const seconds = String(Math.floor(timestamp.getTime() / 1000));
  const signatures = await signaturesOf(secret, id, seconds, body);
  return { "webhook-id": id, "webhook-timestamp": seconds, "webhook-signature": signatures.join(" ") };
}

/** Why a message is not authentic: a header is missing, its time is not within five minutes of now, or no signature matches. */
export type SignatureFault = "missing_header" | "wrong_time" | "wrong_signature";

/**
 * Resolves to undefined if the headers of a message have a signature of its bytes by one of the secrets, made at most five
 * minutes before or after now (Standard Webhooks 1.0, "Verifying signatures"). `header` returns a header by its lower-case name.
 */
export async function signatureFault(
  secret: WebhookSecret,
  header: (name: string) => string | null | undefined,
  body: string | Uint8Array,
): Promise<SignatureFault | undefined> {
  const [id, timestamp, given] = SIGNATURE_HEADERS.map(header);
  if (!id || !timestamp || !given) return "missing_header";
  const age = Math.abs(Math.floor(Date.now() / 1000) - Number(timestamp));
  if (!(age <= TOLERANCE)) return "wrong_time"; // also one that is no number
  const own = await signaturesOf(secret, id, timestamp, body);
  // Two headers of one name arrive with a comma between them (RFC 9110, section 5.3).
  return given.split(/,? +/).some((each) => own.some((one) => isEqual(one, each))) ? undefined : "wrong_signature";
}

/** Returns the bytes of each secret. Throws for a list without secrets, and for a secret that is not base64. */
export function secretBytes(secret: WebhookSecret): Uint8Array<ArrayBuffer>[] {
  const secrets = [secret].flat<WebhookSecret[]>();
  if (secrets.length === 0) throw new Error("The list of webhook secrets is empty. Give at least one.");
  return secrets.map((each) => {
    try {
      const bytes = Uint8Array.from(atob(each.replace(/^whsec_/, "")), (character) => character.charCodeAt(0));
      if (bytes.length > 0) return bytes;
    } catch {}
    throw new Error("A webhook secret must be base64, with or without the prefix whsec_.");
  });
}

async function signaturesOf(
  secret: WebhookSecret,
  id: string,
  timestamp: string,
  body: string | Uint8Array,
): Promise<string[]> {
  const signed = await new Blob([`${id}.${timestamp}.`, body as Uint8Array<ArrayBuffer>]).arrayBuffer();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  return Promise.all(
    secretBytes(secret).map(async (bytes) => {
      const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
      const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, signed));
      return `v1,${btoa(String.fromCharCode(...signature))}`;
    }),
  );
}

/** Compares in a time that does not depend on where two strings differ. */
function isEqual(own: string, given: string): boolean {
  let difference = own.length ^ given.length;
  for (let index = 0; index < own.length; index++) difference |= own.charCodeAt(index) ^ given.charCodeAt(index);
  return difference === 0;
}
