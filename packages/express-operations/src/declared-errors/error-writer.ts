import {
  type OpenApiDocument,
  type Schema,
  essenceOf,
  isJson,
  unescapeKey,
  effectiveSchema,
  isRecord,
  nonNullTypesOf,
  propertiesOf,
  requiredOf,
  typesOf,
} from "openapi-document";
import { ValueMaker, type ValueOptions } from "openapi-document/example";
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

/** The media type and the schema of an error response. */
export interface ErrorContent {
  mediaType: string;
  schema: Schema;
}

/** Reads the schema of error responses, and returns the function that writes their bodies. */
export function errorWriter(document: OpenApiDocument, { mediaType, schema }: ErrorContent): ErrorWriter {
  if (!isJson(essenceOf(mediaType))) return ({ message }) => message;
  const write = valueWriter(document, schema);
  const { additionalProperties: isOpen = true, ...merged } = effectiveSchema(document, schema);
  const hasDetails = isOpen === true && essenceOf(mediaType) === "application/problem+json";
  const fields = propertiesOf(merged);
  return (facts) => {
    let body: unknown;
    try {
      body = write(facts);
    } catch {
      return undefined; // such as a required field whose pattern no made text matches
    }
    if (!isRecord(body)) return body;
    // An open schema lets problem details have the members that it does not name (RFC 9457, section 3).
    const others = Object.entries(hasDetails ? problemDetails(facts) : {}).filter(
      ([name]) => !Object.hasOwn(fields, name),
    );
    const whole = { ...body, ...Object.fromEntries(others) };
    return Object.keys(whole).length === 0 ? undefined : whole;
  };
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
  return () => (made ??= { value: new ValueMaker(document, owner, texts).make(schema) }).value;
}

const texts: ValueOptions = {};

/** Loads what finds texts for patterns. It is large, and few errors need it. */
export async function findTexts(): Promise<void> {
  texts.textMatching = (await import("../example/example-text.ts")).textMatching;
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
  const lists = fields.map(([name, field]) => [name, faultsWriter(document, name, field, depth)] as const);
  const withoutSchema = required.filter((name) => !fields.some(([field]) => field === name));
  return (facts) => {
    const body = new Map<string, unknown>();
    for (const [name, write] of writers) body.set(name, write(facts));
    for (const name of withoutSchema) body.set(name, facts.message);
    const hasFacts = [...body.values()].some((value) => value !== undefined);
    const needsLists = facts.errors.length > 0 || !hasFacts;
    for (const [name, write] of lists) if (needsLists && write !== undefined) body.set(name, write(facts));
    return Object.fromEntries([...body].filter(([, value]) => value !== undefined));
  };
}

const NESTED = /^(?:error|errors|fault|detail|details|meta|source)$/;
const FAULTS =
  /^(?:errors?|faults?|details?|violations|issues|problems|causes|fields|(?:field|validation)-errors|invalid-params)$/;

/** Writes a list of faults, or a map from the names of fields to messages; undefined for a field that holds neither. */
function faultsWriter(document: OpenApiDocument, name: string, field: Schema, depth: number): ErrorWriter | undefined {
  if (depth > 1 || !FAULTS.test(plainName(name))) return undefined;
  if (typesOf(field).includes("array")) return valueWriter(document, field, depth + 1);
  const { additionalProperties: others } = field;
  if (!isRecord(others) || Object.keys(propertiesOf(field)).length > 0) return undefined;
  const messages = effectiveSchema(document, others);
  if (!typesOf(messages).some((type) => type === "array" || type === "string")) return undefined;
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
const code: TextOf = (facts) => facts.code;

function parameterIn(...places: RequestFault["in"][]): TextOf {
  return ({ fault }) => (fault !== undefined && places.includes(fault.in) ? fault.parameter : undefined);
}

/** The fields that hold each text, by plain name. */
const FIELDS: [names: string, textOf: TextOf][] = [
  ["message msg detail description error error-description error-message reason", (facts) => facts.message],
  ["title", (facts) => STATUS_CODES[facts.status] ?? "Error"],
  ["code error-code", code],
  ["type", ({ fault }) => (fault === undefined ? "about:blank" : fault.code)],
  ["rule keyword", ({ fault }) => fault?.code],
  ["in location", ({ fault }) => fault?.in],
  ["field name param property path", ({ fault }) => nameOf(fault)],
  ["pointer", ({ fault }) => (fault?.in === "body" ? fault.pointer : undefined)],
  ["parameter", parameterIn("query", "path", "cookie")],
  ["header", parameterIn("header")],
  ["status status-code", (facts) => String(facts.status)],
];
const TEXTS = new Map(FIELDS.flatMap(([names, textOf]) => names.split(" ").map((name) => [name, textOf])));

/** The fields that hold the status as a number, by plain name. */
const NUMBERS = new Set(["status", "status-code", "http-status", "error-code", "code"]);

/** Returns the name of the parameter or the field of a fault, such as `tags.0.name`. */
function nameOf(fault: RequestFault | undefined): string | undefined {
  if (fault === undefined) return undefined;
  return keysOf(fault).join(".") || fault.in;
}

/** Returns the parameter and the keys below it that a fault is at. */
function keysOf({ parameter, pointer }: RequestFault): string[] {
  const keys = pointer.split("/").slice(1).map(unescapeKey);
  return parameter === undefined ? keys : [parameter, ...keys];
}

/** Writes the place of a fault as a list, such as `["body", "tags", 0]`; an empty list for a problem without faults. */
function placeWriter(document: OpenApiDocument, { items = {} }: Schema): (facts: Facts) => (string | number)[] {
  const hasNumbers = nonNullTypesOf(document, items).has("integer");
  return ({ fault }) => {
    if (fault === undefined) return [];
    const keys = keysOf(fault).map((key) => (hasNumbers && /^\d{1,9}$/.test(key) ? Number(key) : key));
    return [fault.in, ...keys];
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
  const isText = typeof pattern !== "string" && /^(?:uri|$)/.test((format ?? "") as string);
  return (value) => {
    if (typeof value === "number") return value >= least && value <= most;
    return isText && value.length <= Number(maxLength) && (format === undefined || URL.canParse(value));
  };
}

/** Returns the words of a name in lower case: `status-code` for `statusCode`, `status_code` and `StatusCode`. */
function plainName(name: string): string {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2").split(/[^A-Za-z]+/);
  return words
    .filter((word) => word !== "")
    .join("-")
    .toLowerCase();
}
