import type { ErrorFormat } from "./api.ts";
import { essenceOf, isJson } from "./media-type.ts";

/** The format of a contract's error whose fields `code` and `message` are strings. */
export function errorFields(code: string, message: string): ErrorFormat {
  return (body) => {
    const { [code]: foundCode, [message]: foundMessage } = Object(body) as Record<string, unknown>;
    return typeof foundCode === "string" && typeof foundMessage === "string" ? [foundCode, foundMessage] : undefined;
  };
}

/** The format of a contract without an error schema of its own. Any body is an error, except the page of a proxy. */
export const anyError: ErrorFormat = (body, status, contentType = "") => {
  const type = essenceOf(contentType);
  if (typeof body === "string" && (type === "text/html" || isJson(type))) return undefined;
  const fields = Object(body) as Record<string, unknown>;
  const nested = Object(fields["error"]) as Record<string, unknown>;
  const candidates = [
    typeof body === "string" && body.slice(0, 1_000),
    fields["message"],
    fields["detail"], // RFC 9457
    fields["title"],
    nested["message"],
    fields["error"],
    fields["error_description"], // RFC 6749
    `The service responded with status ${status}.`,
  ];
  const message = candidates.find((candidate) => typeof candidate === "string" && candidate !== "");
  const { code } = fields;
  return [typeof code === "string" ? code : `http_${status}`, message as string];
};
