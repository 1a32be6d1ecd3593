import type { SecurityScheme } from "openapi-document";
import { decoded, type SentParameters } from "./parameters.ts";
import { pointerTo, type SchemaError } from "./schema.ts";

/**
 * Returns the first credential that a request lacks, if it satisfies none of the requirements. Each requirement is a list of
 * schemes, and an empty one is always satisfied.
 */
export function missingCredential(
  requirements: readonly (readonly SecurityScheme[])[],
  sent: SentParameters,
): SchemaError | undefined {
  const missing = requirements.map((schemes) => schemes.find((scheme) => !isPresent(scheme, sent)));
  const [first] = missing;
  return first === undefined || missing.includes(undefined) ? undefined : problemOf(first);
}

function isPresent({ type, scheme, in: location, name = "" }: SecurityScheme, sent: SentParameters): boolean {
  if (type === "mutualTLS") return true; // The connection carries the certificate.
  if (type !== "apiKey") {
    const kind = type === "http" ? scheme : "bearer";
    const [sentKind, secret, ...others] = (sent.headers.get("Authorization") ?? "").split(" ");
    return sentKind!.toLowerCase() === kind?.toLowerCase() && Boolean(secret) && others.length === 0;
  }
  if (location === "header") return sent.headers.has(name);
  return (location === "query" ? sent.query : sent.cookies).some(([key]) => decoded(key) === name);
}

function problemOf({ type, scheme, in: location, name }: SecurityScheme): SchemaError {
  if (type === "apiKey") {
    return {
      pointer: pointerTo(location!, name!),
      message: `The API key is missing. Send it in the ${location} "${name}".`,
    };
  }
  const message =
    type === "http" && scheme?.toLowerCase() === "basic"
      ? "The user name and the password are missing. Send them by the scheme basic."
      : "The API key is missing. Send it as a bearer token.";
  return { pointer: "/headers/Authorization", message };
}
