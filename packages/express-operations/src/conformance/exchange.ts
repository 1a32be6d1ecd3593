import { type Credentials, type ExampleRequest, pathOf } from "./example-request.ts";
import { encodeBody } from "./request-body.ts";

/** The server to check. */
export interface Target {
  /** Where the operations are served, such as `http://127.0.0.1:3000/v1`. */
  baseUrl: string;
  /** Returns credentials with all scopes of an operation. */
  credentials?: (operationId: string) => Credentials;
  /** Returns valid credentials without scopes. If it is missing, the 403 for such credentials is not checked. */
  lesserCredentials?: (operationId: string) => Credentials;
}

/** A response, its body read. */
export interface Received {
  status: number;
  headers: Headers;
  text: string;
}

/** A failed check. The message contains the request, the expectation and the response. */
export class ConformanceError extends Error {
  override name = "ConformanceError";
}

/**
 * Sends a request. A response that does not arrive within ten seconds, or whose connection ends, is a failed check. Rejects
 * with the error of `fetch` if the server cannot be reached.
 */
export async function exchange(target: Target, request: ExampleRequest): Promise<Received> {
  const { method, body } = request;
  const encoded = body && encodeBody(body);
  const headers = headersOf(request, typeof encoded === "string" ? body!.contentType : undefined);
  try {
    const response = await fetch(target.baseUrl + pathOf(request) + queryOf(request), {
      method,
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(10_000),
      ...(encoded !== undefined && { body: encoded }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string } };
    if (name === "TimeoutError") throw new ConformanceError("expected a response within ten seconds, got none");
    if (cause?.code === "UND_ERR_SOCKET" || cause?.code === "ECONNRESET")
      throw new ConformanceError("expected a response, but the connection ended");
    throw error;
  }
}

/** Returns whether an error of `exchange` means that the server cannot be reached. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError && error.message === "fetch failed";
}

/** Expects one of the statuses. */
export function expectStatus(received: Received, ...expected: number[]): void {
  if (!expected.includes(received.status))
    throw new ConformanceError(`expected ${expected.join(" or ")}, got ${received.status}`);
}

/**
 * Expects that a valid request is not rejected. Any status that does not blame the request is allowed, 404 included.
 */
export function expectAccepted(received: Received): void {
  if (received.status >= 500 || REJECTIONS.has(received.status))
    throw new ConformanceError(`expected the request to be accepted, got ${received.status}`);
}

const REJECTIONS = new Set([400, 401, 403, 405, 406, 413, 415]);

/** Expects a header to be present and, if a pattern is given, to match it. */
export function expectHeader({ headers }: Received, name: string, pattern = /^/): void {
  const value = headers.get(name);
  if (value === null) throw new ConformanceError(`expected the header ${name}, which is missing`);
  if (!pattern.test(value)) throw new ConformanceError(`expected the header ${name} to match ${pattern}, got ${value}`);
}

/** Returns the query of a request with its credentials: empty, or with its question mark. */
export function queryOf({ query, credentials }: ExampleRequest): string {
  const own = query.filter(({ of }) => credentials.query?.[of] === undefined).map(({ text }) => text);
  const granted = Object.entries(credentials.query ?? {}).map((pair) => pair.map(encodeURIComponent).join("="));
  const texts = [...own, ...granted];
  return texts.length === 0 ? "" : `?${texts.join("&")}`;
}

/** Returns the headers of a request with its credentials and cookies. */
export function headersOf(request: ExampleRequest, contentType: string | undefined): Headers {
  const headers = new Headers(request.headers);
  if (contentType !== undefined) headers.set("Content-Type", contentType);
  for (const [name, value] of Object.entries(request.credentials.headers ?? {})) headers.set(name, value);
  const cookies = Object.entries(request.cookies).map((pair) => pair.join("="));
  const cookie = [headers.get("Cookie") ?? [], cookies].flat().join("; ");
  if (cookie !== "") headers.set("Cookie", cookie);
  return headers;
}
