import { exampleValue } from "./conformance/example-value.ts";
import {
  type MediaTypeObject,
  type OpenApiDocument,
  type OperationEntry,
  operationsOf,
  resolve,
  type ResponseObject,
  responseKey,
  type Schema,
} from "./document/document.ts";
import { effectiveSchema, isRecord, propertiesOf, requiredOf, typesOf } from "./document/effective-schema.ts";
import { readableDocument } from "./document/openapi-3-2.ts";
import { type Problem, type ProblemContext, type ProblemResponse, problemResponse } from "./problem.ts";

// An import of `node:http` would load Node's unused WebSocket and fetch, because it reads every export.
const { STATUS_CODES } = process.getBuiltinModule("node:http");

/** The media type and the schema of an error response. */
interface ErrorContent {
  mediaType: string;
  schema: Schema;
}

/** The facts of a problem that a field of an error can hold. */
type Facts = Pick<Problem, "status" | "code" | "message">;

/**
 * Returns a `problemFormat` that writes each error in the schema that the operation declares for its status. Fields with
 * common names hold code, message and status; other required fields hold their examples. An error with an undeclared status,
 * or of no operation, has the schema that most errors of the document have, else `{ code, message, status }`.
 */
export function declaredErrors(given: OpenApiDocument): (problem: Problem, context: ProblemContext) => ProblemResponse {
  const document = readableDocument(given);
  const entries = new Map(operationsOf(document).map((entry) => [entry.id, entry]));
  const usual = usualError(document, [...entries.values()]);
  return (problem, context) => {
    const entry = context.operationId === undefined ? undefined : entries.get(context.operationId);
    const key = entry && responseKey(entry, problem.status);
    const content = key === undefined ? usual : contentOf(document, entry!, key);
    const body = content && bodyOf(document, content, problem);
    if (body === undefined) return problemResponse(problem, "declared", context);
    return { contentType: content!.mediaType, body: withDetails(document, content!, body, problem) };
  };
}

/** Returns the content that most error responses of a document have. */
function usualError(document: OpenApiDocument, entries: OperationEntry[]): ErrorContent | undefined {
  const contents = entries.flatMap((entry) =>
    Object.keys(entry.operation.responses ?? {})
      .filter((key) => /^(?:[45]|default)/.test(key))
      .flatMap((key) => contentOf(document, entry, key) ?? []),
  );
  const counted = Map.groupBy(contents, ({ mediaType, schema }) => `${mediaType} ${JSON.stringify(schema)}`);
  return [...counted.values()].toSorted((one, other) => other.length - one.length)[0]?.[0];
}

/** Returns the JSON content of a declared response, else its text. */
function contentOf(document: OpenApiDocument, { operation }: OperationEntry, key: string): ErrorContent | undefined {
  const { content = {} } = resolve<ResponseObject>(document, operation.responses![key]!);
  const types = Object.keys(content);
  const mediaType =
    types.find((type) => /^application\/json\b/i.test(type)) ??
    types.find((type) => /^application\/(?:[\w.-]+\+)?json\b/i.test(type)) ??
    types.find((type) => /^text\/plain\b/i.test(type));
  return mediaType === undefined ? undefined : { mediaType, schema: schemaOf(content[mediaType]!) };
}

function schemaOf({ schema = {} }: MediaTypeObject): Schema {
  return schema;
}

/** Returns the body, or undefined if its schema describes no error that can be made. */
function bodyOf(document: OpenApiDocument, { mediaType, schema }: ErrorContent, facts: Facts): unknown {
  if (mediaType.startsWith("text/")) return facts.message;
  try {
    return valueOf(document, schema, facts);
  } catch {
    return undefined; // such as a required field whose pattern no made text matches
  }
}

/** Adds the members of problem details (RFC 9457, section 3.1) that the schema does not name, unless it forbids others. */
function withDetails(
  document: OpenApiDocument,
  { mediaType, schema }: ErrorContent,
  body: unknown,
  facts: Facts,
): unknown {
  const merged = effectiveSchema(document, schema);
  const isOpen = merged["additionalProperties"] === undefined || merged["additionalProperties"] === true;
  if (!isOpen || !/^application\/problem\+json\b/i.test(mediaType) || !isRecord(body)) return body;
  const { status, code, message } = facts;
  const fields = propertiesOf(merged);
  const added = Object.entries({ status, detail: message, code }).filter(([name]) => fields[name] === undefined);
  return { ...body, ...Object.fromEntries(added) };
}

/** Returns a value of a schema with the facts in it; undefined for a schema that allows any value. */
function valueOf(document: OpenApiDocument, node: Schema, facts: Facts, depth = 0): unknown {
  const schema = effectiveSchema(document, node);
  const [member] = (schema["oneOf"] ?? schema["anyOf"] ?? []) as Schema[];
  if (member !== undefined) {
    const { oneOf: _, anyOf: __, ...rest } = schema;
    return valueOf(document, { allOf: [rest, member] }, facts, depth);
  }
  const fields = Object.entries(propertiesOf(schema));
  if (fields.length > 0) return objectOf(document, schema, facts, depth);
  const type = typesOf(schema).find((each) => each !== "null");
  if (type === "string")
    return holds(schema, facts.message) ? facts.message : exampleValue(document, schema, "an error");
  if (type === "array" && depth < MAX_DEPTH && schema.items !== undefined)
    return [valueOf(document, schema.items, facts, depth + 1)].filter((item) => item !== undefined);
  if (type === undefined || type === "object")
    return depth === 0 ? undefined : exampleValue(document, schema, "an error");
  return exampleValue(document, schema, "an error");
}

/** Errors are nested at most this deep; a recursive schema ends there. */
const MAX_DEPTH = 4;

function objectOf(document: OpenApiDocument, schema: Schema, facts: Facts, depth: number): object {
  const required = requiredOf(document, schema);
  const fields = Object.entries(propertiesOf(schema)).map(
    ([name, field]) => [name, effectiveSchema(document, field)] as const,
  );
  const names = fields.map(([name]) => plainName(name));
  const body: Record<string, unknown> = {};
  for (const [name, field] of fields) {
    const fact = factOf(plainName(name), field, facts, names);
    const isNested = depth < MAX_DEPTH && /^(?:error|errors|fault|detail|details|meta)$/.test(plainName(name));
    if (fact !== undefined) body[name] = fact;
    else if (required.includes(name) || (isNested && depth === 0 && Object.keys(propertiesOf(field)).length > 0))
      body[name] = isNested
        ? valueOf(document, field, facts, depth + 1)
        : exampleValue(document, field, `the field "${name}"`);
  }
  for (const name of required) if (!Object.hasOwn(body, name)) body[name] = facts.message;
  return body;
}

/** Returns the fact that a field holds by its name and type; undefined if it holds none. */
function factOf(
  name: string,
  schema: Schema,
  { status, code, message }: Facts,
  names: string[],
): string | number | undefined {
  const title = STATUS_CODES[status] ?? "Error";
  const texts: Record<string, string> = {
    message,
    msg: message,
    detail: message,
    description: message,
    "error-description": message,
    "error-message": message,
    reason: message,
    title,
    error: names.some((each) => /^(?:message|error-message|error-description)$/.test(each)) ? code : message,
    code,
    "error-code": code,
    type: "about:blank",
    status: String(status),
    "status-code": String(status),
  };
  const numbers: Record<string, number> = {
    status,
    "status-code": status,
    "http-status": status,
    "error-code": status,
    code: status,
  };
  const types = typesOf(schema);
  const isFree = types.length === 0 && schema["properties"] === undefined && schema.items === undefined;
  if (types.includes("integer") || types.includes("number")) return allowed(schema, numbers[name]);
  if (types.includes("string") || (isFree && name !== "type")) return allowed(schema, texts[name]);
  return undefined;
}

function allowed<Value extends string | number>(schema: Schema, value: Value | undefined): Value | undefined {
  return value !== undefined && holds(schema, value) ? value : undefined;
}

/** Returns whether a schema allows a text or a number, as far as it says so in the keywords of a field of an error. */
function holds(schema: Schema, value: string | number): boolean {
  const { enum: values, const: only, pattern, maxLength, minimum, maximum, format } = schema;
  if (Array.isArray(values)) return values.includes(value);
  if (only !== undefined) return only === value;
  if (typeof value === "number") return value >= Number(minimum ?? -Infinity) && value <= Number(maximum ?? Infinity);
  if (typeof maxLength === "number" && value.length > maxLength) return false;
  if (typeof pattern === "string") return false;
  return format === undefined || (typeof format === "string" && format.startsWith("uri") && URL.canParse(value));
}

/** Returns the words of a name in lower case: `status-code` for `statusCode`, `status_code` and `StatusCode`. */
function plainName(name: string): string {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2").split(/[^A-Za-z]+/);
  return words
    .filter((word) => word !== "")
    .join("-")
    .toLowerCase();
}
