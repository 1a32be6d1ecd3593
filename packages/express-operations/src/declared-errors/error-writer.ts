import { exampleValue } from "../example/example-value.ts";
import {
  type OpenApiDocument,
  type Schema,
  unescapeKey,
  effectiveSchema,
  isRecord,
  nonNullTypesOf,
  propertiesOf,
  requiredOf,
  typesOf,
} from "openapi-document";
import { type Problem, problemDetails, type RequestFault } from "../problem.ts";

// An import of `node:http` would load Node's unused WebSocket and fetch, because it reads every export.
const { STATUS_CODES } = process.getBuiltinModule("node:http");

/** The facts of a problem that a field of an error can hold. In a list of faults, code and message are those of `fault`. */
interface Facts extends Pick<Problem, "status" | "code" | "message" | "errors"> {
  fault?: RequestFault;
}

/** Returns the body of an error, or undefined if its schema can hold no fact of the problem. */
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
    if (!isRecord(body)) return body;
    const whole = { ...body, ...details?.(facts) };
    return Object.keys(whole).length === 0 ? undefined : whole;
  };
}

/** Writes the members of problem details (RFC 9457, section 3) that a schema does not name, unless it forbids others. */
function detailsWriter(
  document: OpenApiDocument,
  mediaType: string,
  schema: Schema,
): ((facts: Facts) => object) | undefined {
  const merged = effectiveSchema(document, schema);
  const isOpen = merged["additionalProperties"] === undefined || merged["additionalProperties"] === true;
  if (!isOpen || !/^application\/problem\+json\b/i.test(mediaType)) return undefined;
  const fields = propertiesOf(merged);
  return (facts) =>
    Object.fromEntries(Object.entries(problemDetails(facts)).filter(([name]) => !Object.hasOwn(fields, name)));
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
    return (facts) =>
      faultsIn(facts)
        .map(item)
        .filter((each) => each !== undefined);
  }
  return depth === 0 && (type === undefined || type === "object") ? () => undefined : example;
}

function exampleWriter(document: OpenApiDocument, schema: Schema, owner: string): () => unknown {
  let made: { value: unknown } | undefined;
  return () => (made ??= { value: exampleValue(document, schema, owner) }).value;
}

/** Returns the facts of each fault of a request; those of the problem if it lists none. */
function faultsIn(facts: Facts): Facts[] {
  if (facts.errors.length === 0) return [facts];
  return facts.errors.map((fault) => ({ ...facts, code: fault.code, message: fault.message, errors: [], fault }));
}

function objectWriter(document: OpenApiDocument, schema: Schema, depth: number): ErrorWriter {
  const required = requiredOf(document, schema);
  const fields = Object.entries(propertiesOf(schema)).map(
    ([name, field]) => [name, effectiveSchema(document, field)] as const,
  );
  const names = fields.map(([name]) => plainName(name));
  const writers = fields.map(([name, field]): [string, ErrorWriter] => {
    const fact = factWriter(document, plainName(name), field, names);
    const other = otherWriter(document, name, field, { isRequired: required.includes(name), depth });
    return [name, (facts) => fact(facts) ?? other(facts)];
  });
  const lists = fields.filter(([name, field]) => isFaultList(document, name, field, depth));
  const listWriters = lists.map(([name, field]) => [name, faultsWriter(document, field, depth)] as const);
  const withoutSchema = required.filter((name) => !fields.some(([field]) => field === name));
  return (facts) => {
    const body = new Map<string, unknown>();
    for (const [name, write] of writers) body.set(name, write(facts));
    for (const name of withoutSchema) body.set(name, facts.message);
    const hasFacts = [...body.values()].some((value) => value !== undefined);
    if (facts.errors.length > 0 || !hasFacts) for (const [name, write] of listWriters) body.set(name, write(facts));
    return Object.fromEntries([...body].filter(([, value]) => value !== undefined));
  };
}

const NESTED = /^(?:error|errors|fault|detail|details|meta|source)$/;
const FAULTS =
  /^(?:errors?|faults?|details?|violations|issues|problems|causes|fields|(?:field|validation)-errors|invalid-params)$/;

/** Whether a field holds a list of faults, or a map from the names of fields to messages. */
function isFaultList(document: OpenApiDocument, name: string, field: Schema, depth: number): boolean {
  if (depth > 1 || !FAULTS.test(plainName(name))) return false;
  return typesOf(field).includes("array") || faultsByName(document, field) !== undefined;
}

/** Returns the schema of the messages in a map from the names of fields; undefined if a schema describes no such map. */
function faultsByName(document: OpenApiDocument, field: Schema): Schema | undefined {
  const { additionalProperties: others } = field;
  if (!isRecord(others) || Object.keys(propertiesOf(field)).length > 0) return undefined;
  const schema = effectiveSchema(document, others);
  return typesOf(schema).some((type) => type === "array" || type === "string") ? schema : undefined;
}

function faultsWriter(document: OpenApiDocument, field: Schema, depth: number): ErrorWriter {
  const messages = faultsByName(document, field);
  if (messages === undefined) return valueWriter(document, field, depth + 1);
  const write = valueWriter(document, messages, depth + 1);
  return (facts) => Object.fromEntries(faultsIn(facts).map((each) => [nameOf(each.fault) ?? "error", write(each)]));
}

/** Writes a field that holds no fact itself: an error inside the error, or an example if the field is required. */
function otherWriter(
  document: OpenApiDocument,
  name: string,
  field: Schema,
  { isRequired, depth }: { isRequired: boolean; depth: number },
): ErrorWriter {
  const isNested = depth < MAX_DEPTH && NESTED.test(plainName(name));
  const isError = isNested && (depth === 0 || plainName(name) === "source");
  const isWritten = isRequired || (isError && Object.keys(propertiesOf(field)).length > 0);
  if (!isWritten) return () => undefined;
  return isNested ? valueWriter(document, field, depth + 1) : exampleWriter(document, field, `the field "${name}"`);
}

type TextOf = (facts: Facts) => string | undefined;
const message: TextOf = (facts) => facts.message;
const code: TextOf = (facts) => facts.code;
const status: TextOf = (facts) => String(facts.status);
const placeName: TextOf = ({ fault }) => nameOf(fault);
const parameterIn =
  (...places: RequestFault["in"][]): TextOf =>
  ({ fault }) =>
    fault !== undefined && places.includes(fault.in) ? fault.parameter : undefined;

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
  ["type", ({ fault }) => (fault === undefined ? "about:blank" : fault.code)],
  ["rule", ({ fault }) => fault?.code],
  ["keyword", ({ fault }) => fault?.code],
  ["in", ({ fault }) => fault?.in],
  ["location", ({ fault }) => fault?.in],
  ["field", placeName],
  ["name", placeName],
  ["param", placeName],
  ["property", placeName],
  ["path", placeName],
  ["pointer", ({ fault }) => (fault?.in === "body" ? fault.pointer : undefined)],
  ["parameter", parameterIn("query", "path", "cookie")],
  ["header", parameterIn("header")],
  ["status", status],
  ["status-code", status],
]);

/** The fields that hold the status as a number, by plain name. */
const NUMBERS = new Set(["status", "status-code", "http-status", "error-code", "code"]);

/** Returns the name of the parameter or the field of a fault, such as `tags.0.name`. */
function nameOf(fault: RequestFault | undefined): string | undefined {
  if (fault === undefined) return undefined;
  return [...(fault.parameter === undefined ? [] : [fault.parameter]), ...keysOf(fault)].join(".") || fault.in;
}

function keysOf({ pointer }: RequestFault): string[] {
  return pointer.split("/").slice(1).map(unescapeKey);
}

/** Writes the place of a fault as a list, such as `["body", "tags", 0]`; an empty list for a problem without faults. */
function placeWriter(document: OpenApiDocument, { items = {} }: Schema): (facts: Facts) => (string | number)[] {
  const hasNumbers = nonNullTypesOf(document, items).has("integer");
  return ({ fault }) => {
    if (fault === undefined) return [];
    const keys = keysOf(fault).map((key) => (hasNumbers && /^\d{1,9}$/.test(key) ? Number(key) : key));
    return [fault.in, ...(fault.parameter === undefined ? [] : [fault.parameter]), ...keys];
  };
}

/** Writes the fact that a field holds by its name and type; undefined if it holds none. */
function factWriter(
  document: OpenApiDocument,
  field: string,
  schema: Schema,
  names: string[],
): (facts: Facts) => unknown {
  const types = typesOf(schema);
  const isFree = types.length === 0 && schema["properties"] === undefined && schema.items === undefined;
  const isAllowed = allowance(schema);
  if (types.includes("integer") || types.includes("number"))
    return ({ status: number }) => (NUMBERS.has(field) && isAllowed(number) ? number : undefined);
  if (types.includes("array") && (field === "loc" || field === "path")) return placeWriter(document, schema);
  const hasMessage = names.some((each) => /^(?:message|error-message|error-description)$/.test(each));
  const textOf = field === "error" && hasMessage ? code : TEXTS.get(field);
  const isText = types.includes("string") || (isFree && field !== "type");
  if (!isText || textOf === undefined) return () => undefined;
  return (facts) => {
    const text = textOf(facts);
    if (text === undefined) return undefined;
    return isAllowed(text) ? text : listedAs(schema, text);
  };
}

/** Returns the listed value with the same words, such as `NOT_FOUND` for `not_found`. */
function listedAs({ enum: values }: Schema, text: string): unknown {
  const words = plainName(text);
  return Array.isArray(values)
    ? values.find((value) => typeof value === "string" && plainName(value) === words)
    : undefined;
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
