import {
  type ExampleObject,
  exampleValue,
  type HeaderObject,
  type OpenApiDocument,
  type OperationEntry,
  parsedExample,
  resolve,
  type ResponseObject,
  responseKey,
  type Schema,
} from "express-operations/reading";
import { randomNumbers } from "./conditions.ts";
import { dynamicValue } from "./dynamic-value.ts";
import type { Preferences } from "./prefer.ts";

/** A response as express-operations accepts it from a handler. */
export interface MockResponse {
  status: number;
  headers?: Record<string, string | number | boolean>;
  contentType?: string;
  body?: unknown;
}

/** A response and the preferences that it meets. */
export interface PreferredResponse {
  response: MockResponse;
  applied: Preferences;
}

/** A Media Type Object: https://spec.openapis.org/oas/v3.1.1.html#media-type-object */
interface MediaType {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, ExampleObject>;
}

/**
 * Returns the response of an operation with a status: the named example, or the first one, or a value valid for the
 * schema. Undefined if the operation declares no response with that status, or none with that example.
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
    ([name, example]) =>
      [name, parsedExample(document, media.schema, resolve<ExampleObject>(document, example).value)] as const,
  );
  if (exampleName !== undefined) {
    const named = examples.find(([name]) => name === exampleName);
    return (
      named && {
        status,
        headers,
        contentType: typeInRange(contentType, named[1]),
        body: withStatus(named[1], key, status),
      }
    );
  }
  const values = examples.map(([, value]) => value);
  const example = parsedExample(document, media.schema, media.example);
  const given = values.find((value) => statusIn(value) === status) ?? example ?? values[0];
  const body = given ?? exampleValue(document, media.schema ?? {}, `the response ${key} of "${entry.id}"`);
  return { status, headers, contentType: typeInRange(contentType, body), body: withStatus(body, key, status) };
}

/** Returns a media type in a declared range such as `*\/*`, or the declared media type. */
function typeInRange(declared: string, body: unknown): string {
  const [type = "", subtype = ""] = declared.split("/");
  if (type === "*") return typeof body === "string" ? "text/plain" : "application/json";
  if (!subtype.startsWith("*")) return declared;
  const usual = { application: "json", audio: "mpeg", image: "png", text: "plain", video: "mp4" };
  return `${type}/${subtype === "*" ? (usual[type as keyof typeof usual] ?? "plain") : subtype.replace("*", "x")}`;
}

/** Returns the response that meets as many preferences as possible; undefined if it can meet none. */
export function preferredResponse(
  document: OpenApiDocument,
  entry: OperationEntry,
  { code, example, dynamic, seed }: Preferences,
): PreferredResponse | undefined {
  if (dynamic) return dynamicResponse(document, entry, { code, seed });
  if (example !== undefined) {
    for (const status of code === undefined ? statusesOf(entry) : [code]) {
      const response = exampleResponse(document, entry, status, example);
      if (response !== undefined) return { response, applied: { ...(code !== undefined && { code }), example } };
    }
  }
  const response = code === undefined ? undefined : exampleResponse(document, entry, code);
  return response && { response, applied: { code: response.status } };
}

/** Returns a response whose body is made from its schema; undefined if the operation declares no such body. */
function dynamicResponse(
  document: OpenApiDocument,
  entry: OperationEntry,
  { code, seed }: { code: number | undefined; seed: number | undefined },
): PreferredResponse | undefined {
  const status = code ?? successStatus(entry);
  const response = exampleResponse(document, entry, status);
  const key = responseKey(entry, status);
  const content =
    key === undefined ? undefined : resolve<ResponseObject>(document, entry.operation.responses![key]!).content;
  const schema = Object.values(content ?? {})[0]?.schema;
  if (response === undefined || key === undefined || schema === undefined) return undefined;
  const body = dynamicValue(document, schema, randomNumbers(seed ?? Math.floor(Math.random() * 2 ** 31)));
  const applied = { ...(code !== undefined && { code }), dynamic: true as const, ...(seed !== undefined && { seed }) };
  return { response: { ...response, body: withStatus(body, key, status) }, applied };
}

/** Returns the success response of an operation. */
export function successResponse(document: OpenApiDocument, entry: OperationEntry): MockResponse {
  const response = exampleResponse(document, entry, successStatus(entry));
  if (response === undefined) throw new Error(`Operation "${entry.id}" declares no response.`);
  return response;
}

/** Returns the lowest success status that an operation declares. */
export function successStatus(entry: OperationEntry): number {
  return statusesOf(entry)[0] ?? 200;
}

/** Returns the declared statuses, sorted. A range counts as its first status, `default` as 500, or as 200 without a success. */
function statusesOf({ operation }: OperationEntry): number[] {
  const keys = Object.keys(operation.responses ?? {});
  const hasSuccess = keys.some((key) => key.startsWith("2"));
  return keys
    .map((key) => (key === "default" ? (hasSuccess ? 500 : 200) : Number(key.replace("XX", "00"))))
    .toSorted((one, other) => one - other);
}

/**
 * Returns the required headers of a response. Errors also get the optional ones, such as `Retry-After`. Successes do not,
 * because headers such as `Link` depend on the data.
 */
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

/** Sets `status` in the body to the status sent, if the response stands for several statuses. */
function withStatus(body: unknown, key: string, status: number): unknown {
  return statusIn(body) === undefined || /^\d+$/.test(key) ? body : { ...(body as object), status };
}

function statusIn(body: unknown): number | undefined {
  const status = (body as { status?: unknown } | null | undefined)?.status;
  return typeof status === "number" ? status : undefined;
}
