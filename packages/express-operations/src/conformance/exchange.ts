import type { OpenApiDocument, OperationEntry } from "../document.ts";
import { isJson, parseMediaType } from "../media-type.ts";
import { type CheckResponse, responseCheck } from "../response-check.ts";
import type { ExampleRequest } from "./example-request.ts";
import { NOT_JSON } from "./negative-inputs.ts";

/** The server to check. */
export interface Target {
  /** Where the operations are served, such as `http://127.0.0.1:3000/v1`. */
  baseUrl: string;
  /** Headers that entitle a request to an operation. */
  credentials?: (operationId: string) => Record<string, string>;
}

/** A response, its body read. */
export interface Received {
  status: number;
  headers: Headers;
  text: string;
}

/** What a check found wrong; the message says what was sent, what was expected and what came. */
export class ConformanceError extends Error {
  override name = "ConformanceError";
}

/** Sends a request for a path template; gives up after ten seconds. */
export async function exchange(target: Target, template: string, request: ExampleRequest): Promise<Received> {
  const path = template.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(request.path[name] ?? "x"));
  const query = new URLSearchParams(request.query).toString();
  const { body, method } = request;
  const headers = { ...(body && { "Content-Type": body.contentType }), ...request.headers };
  const response = await fetch(target.baseUrl + path + (query && `?${query}`), {
    method,
    headers,
    redirect: "manual",
    signal: AbortSignal.timeout(10_000),
    ...(body && { body: encode(body) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Expects one of the statuses. */
export function expectStatus(received: Received, ...expected: number[]): void {
  if (!expected.includes(received.status))
    throw new ConformanceError(`expected ${expected.join(" or ")}, got ${received.status}`);
}

/** A valid request may be answered with any status that does not find fault with it, 404 included. */
export function accepted(received: Received): void {
  if (received.status >= 500 || REFUSALS.has(received.status))
    throw new ConformanceError(`expected no refusal, got ${received.status}`);
}

const REFUSALS = new Set([400, 401, 403, 405, 406, 413, 415]);

/** Expects a header to be there and, where given, to match. */
export function expectHeader({ headers }: Received, name: string, pattern = /./): void {
  const value = headers.get(name);
  if (value === null) throw new ConformanceError(`expected the header ${name}, which is missing`);
  if (!pattern.test(value)) throw new ConformanceError(`expected the header ${name} to match ${pattern}, got ${value}`);
}

/** Judges received responses by the document: a failure has a JSON body, and every body keeps to its declared schema. */
export function responseJudge(document: OpenApiDocument, entry: OperationEntry): (received: Received) => Promise<void> {
  let check: Promise<CheckResponse> | undefined;
  return async ({ status, headers, text }) => {
    const contentType = parseMediaType(headers.get("Content-Type") ?? "")?.essence ?? "";
    if (status >= 400 && !isJson(contentType)) {
      throw new ConformanceError(`expected a failure as JSON, got ${status} as ${contentType || "nothing"}`);
    }
    if (!isJson(contentType)) return;
    check ??= responseCheck(document, entry);
    const sent = Object.fromEntries([...headers].map(([name, value]) => [name, value]));
    const violations = await (await check)({ status, contentType, body: parsed(text), headers: sent });
    const first = violations.find(({ pointer }) => pointer.startsWith("/body"));
    if (first !== undefined)
      throw new ConformanceError(`the body of ${status} at ${first.pointer} ${first.message}, got ${first.valueType}`);
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ConformanceError("expected a body of JSON, got text that is not JSON");
  }
}

function encode({ contentType, value }: { contentType: string; value: unknown }): string {
  if (value === NOT_JSON) return "{not json";
  return isJson(parseMediaType(contentType)?.essence ?? "") || typeof value !== "string"
    ? JSON.stringify(value)
    : value;
}
