import type { Request, Response } from "express";
import { type Deprecation } from "./deprecation.ts";
import { entityTagOf, isNamed } from "./entity-tag.ts";
import { essenceOf, isJson } from "../media-type.ts";
import type { Problem } from "../problem.ts";

/** What a handler returned, before the types are known. */
export interface Answer {
  status: number;
  headers?: Record<string, string | number | boolean | undefined>;
  contentType?: string;
  body?: unknown;
}

type Headers = Readonly<Record<string, string>>;

/** An answer as it is sent, complete but for what is announced of its operation. */
export interface Message {
  status: number;
  headers: Headers;
  payload: string | Uint8Array | undefined;
}

/** What becomes of a request. */
export type Outcome = Message | Problem;

/** Encodes an answer, with a strong `ETag` if so asked and the handler has given none. */
export function messageOf(answer: Answer, { isTagged = false } = {}): Message {
  const { status, contentType = "application/json", body } = answer;
  const headers: Record<string, string> = {};
  for (const name in answer.headers) {
    const value = answer.headers[name];
    if (value !== undefined) headers[/^etag$/i.test(name) ? "ETag" : name] = String(value);
  }
  if (body === undefined) {
    if (status !== 204 && status !== 304) headers["Content-Length"] = "0";
    return { status, headers, payload: undefined };
  }
  const payload = encode(body, contentType);
  headers["Content-Type"] = contentType;
  headers["Content-Length"] = String(Buffer.byteLength(payload));
  if (isTagged) headers["ETag"] ??= entityTagOf(payload);
  return { status, headers, payload };
}

/**
 * Writes a message in one piece. HEAD gets the headers of GET, its length included, and no body (RFC 9110, section 9.3.2);
 * who has a 200 by its tag already gets 304 (section 15.4.5).
 */
export function send(request: Request, response: Response, message: Message, announced?: Headers): void {
  const { status, headers, payload } = message;
  const tag = headers["ETag"];
  const written = isSuccessOrMissing(status) ? beside(announced, headers) : headers;
  if (status === 200 && tag !== undefined && isNamed(request.headers["if-none-match"], tag)) {
    const { "Content-Type": _, "Content-Length": __, ...others } = written;
    response.writeHead(304, others).end();
    return;
  }
  response.writeHead(status, written);
  if (payload === undefined || request.method === "HEAD") response.end();
  else response.end(payload);
}

/** Writes an answer. */
export function respond(request: Request, response: Response, answer: Answer): void {
  send(request, response, messageOf(answer));
}

/** Whether a status concerns the resource itself: refusals before it are the same for operations that stay. */
function isSuccessOrMissing(status: number): boolean {
  return (status >= 200 && status < 300) || status === 304 || status === 404;
}

/** Links of the handler stand beside those announced (RFC 8288, section 3.5); any other header replaces an announced one. */
function beside(announced: Headers | undefined, headers: Headers): Headers {
  if (announced === undefined) return headers;
  if (announced["Link"] === undefined) return { ...announced, ...headers };
  const name = Object.keys(headers).find((candidate) => candidate.toLowerCase() === "link");
  if (name === undefined) return { ...announced, ...headers };
  const { Link, ...others } = announced;
  return { ...others, ...headers, [name]: `${Link}, ${headers[name]}` };
}

/** Writes a refusal with the body the application gives it. */
export function respondProblem(
  request: Request,
  response: Response,
  problem: Problem,
  body: unknown,
  announced: Headers | undefined,
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  send(request, response, messageOf({ status: problem.status, headers: problem.headers, body }), announced);
}

/** The headers that announce on 2xx, 304 and 404 that the operation is deprecated. */
export function announcementOf(
  request: Request,
  { headers, successorPath }: Deprecation,
  valueOf: (parameter: string) => string,
): Record<string, string> {
  if (successorPath === undefined) return headers;
  const target = successorPath.replace(/\{([^}]+)\}/g, (_, name: string) => valueOf(name));
  return { ...headers, Link: `<${request.baseUrl}${target}>; rel="successor-version"` };
}

function encode(body: unknown, contentType: string): string | Uint8Array {
  if (isJson(essenceOf(contentType))) return JSON.stringify(body);
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  throw new TypeError(`A body of ${contentType} has to be a string or bytes.`);
}
