import {
  effectiveSchema,
  type ExampleObject,
  type HeaderObject,
  type MediaTypeObject,
  type OpenApiDocument,
  type OperationEntry,
  resolve,
  type ResponseObject,
  responseKey,
  type Schema,
} from "openapi-document";
import { type ExampleResponse, withBodyText } from "./body-text.ts";
import { parsedExample } from "openapi-document/example";
import { validValue } from "./valid-value.ts";

// An import of `node:http` would load Node's unused WebSocket and fetch, because it reads every export.
const { validateHeaderName, validateHeaderValue } = process.getBuiltinModule("node:http");

export { type ExampleResponse, withBodyText };

/** The choices among the responses of an operation. */
export interface Wanted {
  /** The name of an example. */
  example?: string | undefined;
  /** Chooses one of the declared media types, and may name the one to send from a range. Default: the first one. */
  chooseType?: (contentTypes: string[], status: number) => { declared: string; sent?: string };
  /** Numbers from which the body is generated, in place of an example. */
  random?: (() => number) | undefined;
}

/**
 * Resolves to the response of an operation with a status: the named example, or the first one, or a value valid for the
 * schema. Undefined if the operation declares no response with that status, or none with that example.
 */
export async function exampleResponse(
  document: OpenApiDocument,
  entry: OperationEntry,
  status: number,
  wanted: Wanted = {},
): Promise<ExampleResponse | undefined> {
  const key = responseKey(entry, status);
  if (key === undefined) return undefined;
  const response = resolve<ResponseObject>(document, entry.operation.responses![key]!);
  const { content = {} } = response;
  const contentTypes = Object.keys(content);
  const headers = await exampleHeaders(document, response, status);
  if (contentTypes.length === 0) return wanted.example === undefined ? { status, headers } : undefined;
  const named = (type: string) => examplesOf(document, content[type]!);
  const candidates =
    wanted.example === undefined ? contentTypes : contentTypes.filter((type) => named(type).has(wanted.example!));
  if (candidates.length === 0) return undefined;
  const { declared, sent } = (wanted.chooseType ?? firstOf)(candidates, status);
  const body =
    (wanted.example === undefined ? undefined : named(declared).get(wanted.example)) ??
    (await exampleBody(document, content[declared]!, status, {
      ...wanted,
      where: `the response ${key} of "${entry.id}"`,
    }));
  return { status, headers, contentType: sent ?? typeInRange(declared, body), body: withStatus(body, key, status) };
}

function firstOf(contentTypes: string[]): { declared: string; sent?: string } {
  return { declared: contentTypes[0]! };
}

/** Resolves to the success response of an operation, with a body that can be sent as it is. */
export async function mockResponse(document: OpenApiDocument, entry: OperationEntry): Promise<ExampleResponse> {
  return withBodyText(document, entry, await successResponse(document, entry));
}

function examplesOf(document: OpenApiDocument, { schema, examples }: MediaTypeObject): Map<string, unknown> {
  const found = Object.entries(examples ?? {}).map(([name, node]) => {
    const { value, dataValue } = resolve<ExampleObject>(document, node);
    return [name, parsedExample(document, schema, value ?? dataValue)] as const;
  });
  return new Map(found);
}

/** Returns the example of a body with this status, or the first one, or else a generated value. */
async function exampleBody(
  document: OpenApiDocument,
  media: MediaTypeObject,
  status: number,
  { random, where }: Wanted & { where: string },
): Promise<unknown> {
  const { schema = media.itemSchema ?? {} } = media;
  if (random !== undefined) return validValue(document, schema, where, { random });
  const values = [...examplesOf(document, media).values()];
  const example = parsedExample(document, schema, media.example);
  const given = values.find((value) => statusIn(value) === status) ?? example ?? values[0];
  return given ?? generatedBody(document, schema, where);
}

const generated = new WeakMap<Schema, Promise<unknown>>();

/** Generates the body of a schema once. */
function generatedBody(document: OpenApiDocument, schema: Schema, where: string): Promise<unknown> {
  const body = generated.get(schema) ?? validValue(document, schema, where);
  if (typeof schema === "object") generated.set(schema, body);
  return body;
}

/** Returns a media type in a declared range such as `*\/*`, or the declared media type. */
function typeInRange(declared: string, body: unknown): string {
  const [type = "", subtype = ""] = declared.split("/");
  if (type === "*") return typeof body === "string" ? "text/plain" : "application/json";
  if (!subtype.startsWith("*")) return declared;
  const usual = { application: "json", audio: "mpeg", image: "png", text: "plain", video: "mp4" };
  return `${type}/${subtype === "*" ? (usual[type as keyof typeof usual] ?? "plain") : subtype.replace("*", "x")}`;
}

/** Resolves to the success response of an operation. */
export async function successResponse(
  document: OpenApiDocument,
  entry: OperationEntry,
  wanted?: Wanted,
): Promise<ExampleResponse> {
  const response = await exampleResponse(document, entry, successStatus(entry), wanted);
  if (response === undefined) throw new Error(`Operation "${entry.id}" declares no response.`);
  return response;
}

/** Returns the lowest success status that an operation declares. */
export function successStatus(entry: OperationEntry): number {
  return statusesOf(entry)[0] ?? 200;
}

/** Returns the declared statuses, sorted. A range counts as its first status, `default` as 500, or as 200 without a success. */
export function statusesOf({ operation }: OperationEntry): number[] {
  const keys = Object.keys(operation.responses ?? {});
  const hasSuccess = keys.some((key) => key.startsWith("2"));
  return keys
    .map((key) => (key === "default" ? (hasSuccess ? 500 : 200) : Number(key.replace("XX", "00"))))
    .toSorted((one, other) => one - other);
}

/** Optional headers that the framework writes, or that say something about this one response. */
const OF_ONE_RESPONSE =
  /^(?:connection|content-(?:encoding|length|type)|etag|idempotency-replayed|keep-alive|transfer-encoding)$/i;

/**
 * Resolves to the headers of a response: the required ones, and the others that have examples. Errors get all of them, such as
 * `Retry-After`.
 */
async function exampleHeaders(
  document: OpenApiDocument,
  response: ResponseObject,
  status: number,
): Promise<NonNullable<ExampleResponse["headers"]>> {
  const headers: NonNullable<ExampleResponse["headers"]> = {};
  for (const [name, node] of Object.entries(response.headers ?? {})) {
    const { required, schema = {}, example, examples } = resolve<HeaderObject>(document, node);
    const [first] = Object.values(examples ?? {});
    const given = example ?? (first && resolve<ExampleObject>(document, first).value) ?? givenExample(document, schema);
    const isSent =
      required === true || (OF_ONE_RESPONSE.test(name) ? status >= 400 : status >= 400 || given !== undefined);
    if (!isSent || /^content-(?:type|length)$/i.test(name)) continue;
    const value = headerValue(given ?? (await validValue(document, schema, `the header "${name}"`)));
    if (required === true || isHeader(name, value)) headers[name] = value;
  }
  return headers;
}

function givenExample(document: OpenApiDocument, schema: Schema): unknown {
  const { example, examples } = effectiveSchema(document, schema) as { example?: unknown; examples?: unknown };
  return example ?? (Array.isArray(examples) ? (examples as unknown[])[0] : undefined);
}

function headerValue(value: unknown): string | number | boolean | string[] {
  if (Array.isArray(value)) return value.map(String);
  return typeof value === "number" || typeof value === "boolean" ? value : String(value);
}

/** Whether Node sends a header. */
function isHeader(name: string, value: unknown): boolean {
  try {
    validateHeaderName(name);
    for (const line of [value].flat()) validateHeaderValue(name, String(line));
    return true;
  } catch {
    return false;
  }
}

/** Sets `status` in the body to the status sent, if the response stands for several statuses. */
function withStatus(body: unknown, key: string, status: number): unknown {
  return statusIn(body) === undefined || /^\d+$/.test(key) ? body : { ...(body as object), status };
}

function statusIn(body: unknown): number | undefined {
  const status = (body as { status?: unknown } | null | undefined)?.status;
  return typeof status === "number" ? status : undefined;
}
