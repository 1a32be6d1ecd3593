import type { ContractChange } from "./diff.ts";

/** The people that a change concerns. */
export type Audience = "senders" | "readers" | "consumers" | "implementers";

/** Every audience with its heading, in the order of a report. */
export const AUDIENCES: Record<Audience, string> = {
  consumers: "Consumers of the client: names and types",
  senders: "Senders of requests",
  readers: "Readers of responses",
  implementers: "Implementers of webhooks and callbacks",
};

/** Returns the people that a change concerns. */
export function audienceOf({ place, message }: ContractChange): Audience {
  if (place.startsWith("webhooks/") || message.startsWith("Callback ")) return "implementers";
  if (place.startsWith("components/schemas/") || /\bgenerated clients\b/i.test(message)) return "consumers";
  return message.startsWith("Response ") ? "readers" : "senders";
}
