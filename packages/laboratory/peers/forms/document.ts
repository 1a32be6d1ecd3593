import type { OpenApiDocument } from "express-operations";

/** Fields of text, and a list of texts: some of the libraries compared leave numbers as text, and reject them. */
const FIELDS = {
  type: "object",
  required: ["To", "From"],
  properties: {
    To: { type: "string", pattern: "^\\+[0-9]{6,15}$" },
    From: { type: "string" },
    Body: { type: "string", maxLength: 1600 },
    Direction: { type: "string", enum: ["inbound", "outbound"] },
    StatusCallback: { type: "string", maxLength: 2083 },
    MediaUrl: { type: "array", items: { type: "string" } },
  },
};
const MESSAGE = { type: "object", required: ["sid"], properties: { sid: { type: "string" } } };
const RESPONSES = { 200: { description: "The message", content: { "application/json": { schema: MESSAGE } } } };

function operation(operationId: string, mediaType: string): { post: object } {
  return {
    post: {
      operationId,
      requestBody: { required: true, content: { [mediaType]: { schema: FIELDS } } },
      responses: RESPONSES,
    },
  };
}

/** A document with the same form twice: as `application/x-www-form-urlencoded`, and as `multipart/form-data`. */
export const FORMS: OpenApiDocument & { info: { title: string; version: string } } = {
  openapi: "3.0.3",
  info: { title: "Forms", version: "1" },
  paths: {
    "/messages": operation("createMessage", "application/x-www-form-urlencoded"),
    "/parts": operation("createMessageOfParts", "multipart/form-data"),
  },
};

const VALUES: [name: string, value: string][] = [
  ["To", "+15017122661"],
  ["From", "+15558675310"],
  ["Body", "Your parcel arrives between noon and two. Reply STOP to end these messages."],
  ["Direction", "outbound"],
  ["StatusCallback", "https://example.com/status"],
  ["MediaUrl", "https://example.com/1.png"],
  ["MediaUrl", "https://example.com/2.png"],
];
const BOUNDARY = "bench-7d1f0a";

/** The requests as sent, by the kind of form. */
export const FORM_REQUESTS = {
  urlencoded: request("/messages", "application/x-www-form-urlencoded", new URLSearchParams(VALUES).toString()),
  multipart: request(
    "/parts",
    `multipart/form-data; boundary=${BOUNDARY}`,
    `${VALUES.map(part).join("")}--${BOUNDARY}--\r\n`,
  ),
};

/** The name of a request. */
export type FormKind = keyof typeof FORM_REQUESTS;

function part([name, value]: [string, string]): string {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
}

function request(path: string, contentType: string, body: string): string {
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${contentType}\r\nContent-Length: ${body.length}`;
  return `${head}\r\n\r\n${body}`;
}
