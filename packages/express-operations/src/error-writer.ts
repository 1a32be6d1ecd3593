import { exampleValue } from "./conformance/example-value.ts";
import type { OpenApiDocument, Schema } from "./document/document.ts";
import { effectiveSchema, isRecord, propertiesOf, requiredOf, typesOf } from "./document/effective-schema.ts";
import type { Problem } from "./problem.ts";

// An import of `node:http` would load Node's unused WebSocket and fetch, because it reads every export.
const { STATUS_CODES } = process.getBuiltinModule("node:http");

/** The facts of a problem that a field of an error can hold. */
type Facts = Pick<Problem, "status" | "code" | "message">;

/** Returns the body of an error, or undefined if its schema describes no error that can be made. */
export type ErrorWriter = (facts: Facts) => unknown;

/** Errors are nested at most this deep; a recursive schema ends there. */
const MAX_DEPTH = 4;

/** Reads the schema of error responses, and returns the function that writes their bodies. */
export function errorWriter(document: OpenApiDocument, mediaType: string, schema: Schema): ErrorWriter {
  if (mediaType.startsWith("text/")) return ({ message }) => message;
  const write = valueWriter(document, schema);
  const details = detailsWriter(document, mediaType, schema);
  return (facts) => {
    let body: unknown;
    try {
      body = write(facts);
    } catch {
      return undefined; // such as a required field whose pattern no made text matches
    }
    return details !== undefined && isRecord(body) ? { ...body, ...details(facts) } : body;
  };
}

/** Writes the members of problem details (RFC 9457, section 3.1) that a schema does not name, unless it forbids others. */
function detailsWriter(
  document: OpenApiDocument,
  mediaType: string,
  schema: Schema,
): ((facts: Facts) => object) | undefined {
  const merged = effectiveSchema(document, schema);
  const isOpen = merged["additionalProperties"] === undefined || merged["additionalProperties"] === true;
  if (!isOpen || !/^application\/problem\+json\b/i.test(mediaType)) return undefined;
  const fields = propertiesOf(merged);
  return ({ status, code, message }) =>
    Object.fromEntries(
      Object.entries({ status, detail: message, code }).filter(([name]) => fields[name] === undefined),
    );
}

/** Writes a value of a schema with the facts in it; undefined for a schema that allows any value. */
function valueWriter(document: OpenApiDocument, node: Schema, depth = 0): ErrorWriter {
  const schema = effectiveSchema(document, node);
  const [member] = (schema["oneOf"] ?? schema["anyOf"] ?? []) as Schema[];
  if (member !== undefined) {
    const { oneOf: _, anyOf: __, ...rest } = schema;
    return valueWriter(document, { allOf: [rest, member] }, depth);
  }
  if (Object.keys(propertiesOf(schema)).length > 0) return objectWriter(document, schema, depth);
  const type = typesOf(schema).find((each) => each !== "null");
  const example = exampleWriter(document, schema, "an error");
  if (type === "string") {
    const isAllowed = allowance(schema);
    return (facts) => (isAllowed(facts.message) ? facts.message : example());
  }
  if (type === "array" && depth < MAX_DEPTH && schema.items !== undefined) {
    const item = valueWriter(document, schema.items, depth + 1);
    return (facts) => [item(facts)].filter((each) => each !== undefined);
  }
  return depth === 0 && (type === undefined || type === "object") ? () => undefined : example;
}

function exampleWriter(document: OpenApiDocument, schema: Schema, owner: string): () => unknown {
  let made: { value: unknown } | undefined;
  return () => (made ??= { value: exampleValue(document, schema, owner) }).value;
}

function objectWriter(document: OpenApiDocument, schema: Schema, depth: number): ErrorWriter {
  const required = requiredOf(document, schema);
  const fields = Object.entries(propertiesOf(schema)).map(
    ([name, field]) => [name, effectiveSchema(document, field)] as const,
  );
  const names = fields.map(([name]) => plainName(name));
  const writers = fields.map(([name, field]): [string, ErrorWriter] => {
    const fact = factWriter(plainName(name), field, names);
    const other = otherWriter(document, name, field, { isRequired: required.includes(name), depth });
    return [name, (facts) => fact(facts) ?? other(facts)];
  });
  const withoutSchema = required.filter((name) => !fields.some(([field]) => field === name));
  return (facts) => {
    const body: Record<string, unknown> = {};
    for (const [name, write] of writers) {
      const value = write(facts);
      if (value !== undefined) body[name] = value;
    }
    for (const name of withoutSchema) body[name] = facts.message;
    return body;
  };
}

/** Writes a field that holds no fact itself: an error inside the error, or an example if the field is required. */
function otherWriter(
  document: OpenApiDocument,
  name: string,
  field: Schema,
  { isRequired, depth }: { isRequired: boolean; depth: number },
): ErrorWriter {
  const isNested = depth < MAX_DEPTH && /^(?:error|errors|fault|detail|details|meta)$/.test(plainName(name));
  const isWritten = isRequired || (isNested && depth === 0 && Object.keys(propertiesOf(field)).length > 0);
  if (!isWritten) return () => undefined;
  return isNested ? valueWriter(document, field, depth + 1) : exampleWriter(document, field, `the field "${name}"`);
}

type TextOf = (facts: Facts) => string;
const message: TextOf = (facts) => facts.message;
const code: TextOf = (facts) => facts.code;
const status: TextOf = (facts) => String(facts.status);

/** The texts of fields, by plain name. */
const TEXTS = new Map<string, TextOf>([
  ["message", message],
  ["msg", message],
  ["detail", message],
  ["description", message],
  ["error", message],
  ["error-description", message],
  ["error-message", message],
  ["reason", message],
  ["title", (facts) => STATUS_CODES[facts.status] ?? "Error"],
  ["code", code],
  ["error-code", code],
  ["type", () => "about:blank"],
  ["status", status],
  ["status-code", status],
]);

/** The fields that hold the status as a number, by plain name. */
const NUMBERS = new Set(["status", "status-code", "http-status", "error-code", "code"]);

/** Writes the fact that a field holds by its name and type; undefined if it holds none. */
function factWriter(name: string, schema: Schema, names: string[]): (facts: Facts) => string | number | undefined {
  const types = typesOf(schema);
  const isFree = types.length === 0 && schema["properties"] === undefined && schema.items === undefined;
  const isAllowed = allowance(schema);
  if (types.includes("integer") || types.includes("number"))
    return ({ status: number }) => (NUMBERS.has(name) && isAllowed(number) ? number : undefined);
  const hasMessage = names.some((each) => /^(?:message|error-message|error-description)$/.test(each));
  const textOf = name === "error" && hasMessage ? code : TEXTS.get(name);
  const isText = types.includes("string") || (isFree && name !== "type");
  if (!isText || textOf === undefined) return () => undefined;
  return (facts) => {
    const text = textOf(facts);
    return isAllowed(text) ? text : undefined;
  };
}

/** Returns whether a schema allows a text or a number, as far as it says so in the keywords of a field of an error. */
function allowance(schema: Schema): (value: string | number) => boolean {
  const { enum: values, const: only, pattern, maxLength = Infinity, format } = schema;
  if (Array.isArray(values)) return (value) => values.includes(value);
  if (only !== undefined) return (value) => value === only;
  const [least, most] = [Number(schema["minimum"] ?? -Infinity), Number(schema["maximum"] ?? Infinity)];
  const isText = typeof pattern !== "string" && (format === undefined || isUri(format));
  return (value) => {
    if (typeof value === "number") return value >= least && value <= most;
    return isText && value.length <= Number(maxLength) && (format === undefined || URL.canParse(value));
  };
}

function isUri(format: unknown): boolean {
  return typeof format === "string" && format.startsWith("uri");
}

/** Returns the words of a name in lower case: `status-code` for `statusCode`, `status_code` and `StatusCode`. */
function plainName(name: string): string {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2").split(/[^A-Za-z]+/);
  return words
    .filter((word) => word !== "")
    .join("-")
    .toLowerCase();
}
