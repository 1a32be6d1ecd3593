import type { Request, Response } from "express";
import { type Deprecation } from "./deprecation.ts";
import { essenceOf, isJson } from "./media-type.ts";
import type { Problem } from "./problem.ts";

/** What a handler returned, before the types are known. */
export interface Answer {
  status: number;
  headers?: Record<string, string | number | boolean | undefined>;
  contentType?: string;
  body?: unknown;
}

/** Writes an answer in one piece. HEAD gets the headers of GET, its length included, and no body (RFC 9110, section 9.3.2). */
export function respond(request: Request, response: Response, answer: Answer): void {
  const { status, contentType = "application/json", body } = answer;
  const headers: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(answer.headers ?? {})) {
    if (value !== undefined) headers[name] = beside(response, name, String(value));
  }
  if (body === undefined) {
    if (status !== 204 && status !== 304) headers["Content-Length"] = 0;
    response.writeHead(status, headers).end();
    return;
  }
  const payload = encode(body, contentType);
  headers["Content-Type"] = contentType;
  headers["Content-Length"] = Buffer.byteLength(payload);
  response.writeHead(status, headers).end(request.method === "HEAD" ? undefined : payload);
}

/** Links of the handler stand beside those already announced (RFC 8288, section 3.5); any other header is replaced. */
function beside(response: Response, name: string, value: string): string {
  const announced = name.toLowerCase() === "link" ? response.getHeader(name) : undefined;
  return announced === undefined ? value : `${String(announced)}, ${value}`;
}

/** Writes a refusal with the body the application gives it. */
export function respondProblem(request: Request, response: Response, problem: Problem, body: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  respond(request, response, { status: problem.status, headers: problem.headers, body });
}

/** Announces on the response that its operation is deprecated. */
export function announce(
  request: Request,
  response: Response,
  deprecation: Deprecation,
  path: Record<string, string>,
): void {
  response.set(deprecation.headers);
  if (deprecation.successorPath === undefined) return;
  const target = deprecation.successorPath.replace(/\{([^}]+)\}/g, (_, name: string) => path[name]!);
  response.append("Link", `<${request.baseUrl}${target}>; rel="successor-version"`);
}

function encode(body: unknown, contentType: string): string | Uint8Array {
  if (isJson(essenceOf(contentType))) return JSON.stringify(body);
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  throw new TypeError(`A body of ${contentType} has to be a string or bytes.`);
}
