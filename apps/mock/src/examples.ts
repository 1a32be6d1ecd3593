import {
  type ExampleObject,
  exampleValue,
  type HeaderObject,
  type OpenApiDocument,
  type OperationEntry,
  resolve,
  type ResponseObject,
  responseKey,
  type Schema,
} from "express-operations/reading";
import type { Preferences } from "./prefer.ts";

/** An answer as express-operations takes it from a handler. */
export interface MockResponse {
  status: number;
  headers?: Record<string, string | number | boolean>;
  contentType?: string;
  body?: unknown;
}

/** An answer, and the preferences that it meets. */
export interface PreferredResponse {
  answer: MockResponse;
  applied: Preferences;
}

/** A Media Type Object: https://spec.openapis.org/oas/v3.1.1.html#media-type-object */
interface MediaType {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, ExampleObject>;
}

/**
 * What a document gives as the answer of an operation with a status: the named example, else the first, else a value that
 * its schema allows. Undefined when the operation declares no response for that status, or none with that example.
 */
export function exampleResponse(
  document: OpenApiDocument,
  entry: OperationEntry,
  status: number,
  exampleName?: string,
): MockResponse | undefined {
  const key = responseKey(entry, status);
  if (key === undefined) return undefined;
  const response = resolve<ResponseObject>(document, entry.operation.responses![key]!);
  const headers = exampleHeaders(document, response, status);
  const [contentType, media] = Object.entries<MediaType>(response.content ?? {})[0] ?? [];
  if (contentType === undefined || media === undefined) {
    return exampleName === undefined ? { status, headers } : undefined;
  }
  const examples = Object.entries(media.examples ?? {}).map(
    ([name, example]) => [name, resolve<ExampleObject>(document, example).value] as const,
  );
  if (exampleName !== undefined) {
    const named = examples.find(([name]) => name === exampleName);
    return named && { status, headers, contentType, body: withStatus(named[1], key, status) };
  }
  const values = examples.map(([, value]) => value);
  const given = values.find((value) => statusIn(value) === status) ?? media.example ?? values[0];
  const body = given ?? exampleValue(document, media.schema ?? {}, `the answer ${key} of "${entry.id}"`);
  return { status, headers, contentType, body: withStatus(body, key, status) };
}

/** The answer of an operation that meets as many of the preferences as it can; undefined when it can meet none. */
export function preferredResponse(
  document: OpenApiDocument,
  entry: OperationEntry,
  { code, example }: Preferences,
): PreferredResponse | undefined {
  if (example !== undefined) {
    for (const status of code === undefined ? statusesOf(entry) : [code]) {
      const answer = exampleResponse(document, entry, status, example);
      if (answer !== undefined) return { answer, applied: { ...(code !== undefined && { code }), example } };
    }
  }
  const answer = code === undefined ? undefined : exampleResponse(document, entry, code);
  return answer && { answer, applied: { code: answer.status } };
}

/** What a document gives as the success of an operation. */
export function successResponse(document: OpenApiDocument, entry: OperationEntry): MockResponse {
  const answer = exampleResponse(document, entry, successStatus(entry));
  if (answer === undefined) throw new Error(`Operation "${entry.id}" declares no response.`);
  return answer;
}

/** The status of the success that an operation declares first. */
export function successStatus(entry: OperationEntry): number {
  return statusesOf(entry)[0] ?? 200;
}

/** The statuses of the declared responses, successes first; a range or `default` stands for one of its own. */
function statusesOf({ operation }: OperationEntry): number[] {
  const keys = Object.keys(operation.responses ?? {});
  const hasSuccess = keys.some((key) => key.startsWith("2"));
  return keys
    .map((key) => (key === "default" ? (hasSuccess ? 500 : 200) : Number(key.replace("XX", "00"))))
    .toSorted((one, other) => one - other);
}

/** What a response has to carry, and in a failure also what it may: `Retry-After`, say, while `Link` depends on the page. */
function exampleHeaders(
  document: OpenApiDocument,
  response: ResponseObject,
  status: number,
): NonNullable<MockResponse["headers"]> {
  const headers: NonNullable<MockResponse["headers"]> = {};
  for (const [name, node] of Object.entries(response.headers ?? {})) {
    const { required, schema, example, examples } = resolve<HeaderObject & MediaType>(document, node);
    if (required !== true && status < 400) continue;
    const [first] = Object.values(examples ?? {});
    const given = example ?? (first && resolve<ExampleObject>(document, first).value);
    const value = given ?? exampleValue(document, schema ?? {}, `the header "${name}"`);
    headers[name] = typeof value === "number" || typeof value === "boolean" ? value : String(value);
  }
  return headers;
}

/** The example of a response that stands for several statuses repeats the one that is sent. */
function withStatus(body: unknown, key: string, status: number): unknown {
  return statusIn(body) === undefined || /^\d+$/.test(key) ? body : { ...(body as object), status };
}

function statusIn(body: unknown): number | undefined {
  const status = (body as { status?: unknown } | null | undefined)?.status;
  return typeof status === "number" ? status : undefined;
}
