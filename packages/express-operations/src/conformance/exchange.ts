import { essenceOf, isSequential } from "openapi-document";
import { type Credentials, encodeRequest, type ExampleRequest } from "./example-request.ts";

/** The server to check. */
export interface Target {
  /** Where the operations are served, such as `http://127.0.0.1:3000/v1`. */
  baseUrl: string;
  /** Returns credentials with all scopes of an operation. */
  credentials?: (operationId: string) => Credentials;
  /** Returns valid credentials without scopes. If it is missing, the 403 for such credentials is not checked. */
  lesserCredentials?: (operationId: string) => Credentials;
}

/** A failed check. The message contains the request, the expectation and the response. */
export class ConformanceError extends Error {
  override name = "ConformanceError";
}

/** A response, its body read. */
export interface Received {
  status: number;
  headers: Headers;
  text: string;
  /** Whether the text is the start of a stream that went on. */
  isStart?: boolean;
}

/** Sends a request, and reads the body of its response; of a stream, its start. */
export async function exchange(target: Target, request: ExampleRequest): Promise<Received> {
  return receive(target, request, async (response) => {
    const { status, headers } = response;
    if (!isSequential(essenceOf(headers.get("Content-Type") ?? "")))
      return { status, headers, text: await response.text() };
    const { bytes, isStart } = await readStart(response);
    return { status, headers, text: textOf(bytes, isStart), isStart };
  });
}

/** The start of a stream may end within a character. */
function textOf(bytes: Uint8Array, isStart: boolean): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isStart });
  } catch {
    throw new ConformanceError("expected a stream of text in UTF-8, got other bytes");
  }
}

/**
 * Sends a request, and reads its response by a function. A response that does not arrive within ten seconds, or whose connection ends, is a failed check. Rejects
 * with the error of `fetch` if the server cannot be reached.
 */
export async function receive<Result>(
  target: Target,
  request: ExampleRequest,
  read: (response: Response) => Promise<Result>,
): Promise<Result> {
  const { path, query, method, headers, body } = encodeRequest(request);
  try {
    const response = await fetch(target.baseUrl + path + query, {
      method,
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(10_000),
      ...(body !== undefined && { body }),
    });
    return await read(response);
  } catch (error) {
    const { name, cause } = error as Error & { cause?: Error & { code?: string } };
    if (name === "TimeoutError") throw new ConformanceError("expected a response within ten seconds, got none");
    if (cause?.code === "UND_ERR_SOCKET" || cause?.code === "ECONNRESET")
      throw new ConformanceError("expected a response, but the connection ended");
    if (cause?.name === "HTTPParserError") throw new ConformanceError(`expected valid HTTP, got: ${cause.message}`);
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

/** Expects a header to be present and, if a pattern is given, to match it. Returns its value. */
export function expectHeader({ headers }: Received, name: string, pattern = /^/): string {
  const value = headers.get(name);
  if (value === null) throw new ConformanceError(`expected the header ${name}, which is missing`);
  if (!pattern.test(value)) throw new ConformanceError(`expected the header ${name} to match ${pattern}, got ${value}`);
  return value;
}

/** The start of a body is complete after this many bytes, lines or milliseconds. */
const MAX_BYTES = 65_536;
const MAX_LINES = 200;
const MAX_MILLISECONDS = 2_000;

const LINE_FEED = 10;

/** Reads the start of a body, and cancels the rest: a stream may never end, and a file may be large. */
export async function readStart({ body }: Response): Promise<{ bytes: Buffer; isStart: boolean }> {
  const chunks: Uint8Array[] = [];
  const read = (isStart: boolean) => ({ bytes: Buffer.concat(chunks), isStart });
  if (body === null) return read(false);
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, MAX_MILLISECONDS, undefined);
  let [bytes, lines] = [0, 0];
  try {
    while (bytes < MAX_BYTES && lines < MAX_LINES) {
      const next = await Promise.race([reader.read(), late]);
      if (next === undefined) return read(true);
      if (next.done) return read(false);
      chunks.push(next.value);
      bytes += next.value.length;
      for (const byte of next.value) if (byte === LINE_FEED) lines++;
    }
    return read(true);
  } finally {
    clearTimeout(timer);
    await reader.cancel().catch(() => {}); // the body has failed, or has ended
  }
}
