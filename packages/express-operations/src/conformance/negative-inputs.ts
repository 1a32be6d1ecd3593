import {
  boundsOf,
  compilePattern,
  type OpenApiDocument,
  type Schema,
  type OperationEntry,
  type ParameterObject,
  isJson,
  effectiveSchema,
  isReadOnly,
  isRecord,
  propertiesOf,
  requiredOf,
  typesOf,
} from "openapi-document";
import { type ExampleRequest, exampleParameter } from "./example-request.ts";
import { isExplodedObject } from "../request/pairs.ts";
import { exampleValue } from "../example/example-value.ts";
import { setParameter } from "../example/parameter-style.ts";
import { declaredBody, isForm, NOT_JSON } from "./request-body.ts";

/** One change that makes a valid request invalid. */
interface NegativeInput {
  title: string;
  apply: (request: ExampleRequest) => void;
}

/**
 * Returns obvious invalid inputs of an operation: missing, wrong type, out of bounds, not in the enum, unknown,
 * repeated.
 */
export function negativeInputs(document: OpenApiDocument, entry: OperationEntry): NegativeInput[] {
  return [
    ...entry.parameters.flatMap((parameter) => parameterInputs(document, parameter)),
    ...unknownParameter(document, entry.parameters),
    ...bodyInputs(document, entry),
  ];
}

function parameterInputs(document: OpenApiDocument, parameter: ParameterObject): NegativeInput[] {
  const { name, in: where, required } = parameter;
  const schema = effectiveSchema(document, parameter.schema);
  const input = (title: string, ...values: unknown[]): NegativeInput => ({
    title: `${where} parameter ${name} ${title}`,
    apply: (request) => setParameter(request, parameter, ...values),
  });
  const isScalar = isText(document, parameter);
  const inputs = isScalar ? invalidTexts(document, parameter).map(({ title, value }) => input(title, value)) : [];
  if (required === true && where !== "path" && schema["default"] === undefined) inputs.push(input("missing"));
  if (where !== "query" || !isScalar) return inputs;
  const twice = (request: ExampleRequest) => {
    const value = exampleParameter(document, parameter);
    setParameter(request, parameter, value, value);
  };
  return [...inputs, { ...input("given twice"), apply: twice }];
}

/**
 * Returns the texts that are surely invalid. A schema of no type or several types accepts texts of many kinds, so only
 * its enum is used.
 */
function invalidTexts(document: OpenApiDocument, parameter: ParameterObject): { title: string; value: unknown }[] {
  const schema = effectiveSchema(document, parameter.schema);
  const [type, ...others] = typesOf(schema);
  const isSingle = type !== undefined && others.length === 0;
  return invalidValues(document, schema).filter(({ title, value }) => {
    if (!isSingle) return title === "not in the enum";
    return (type !== "string" || typeof value === "string") && canCarry(parameter, String(value));
  });
}

/** Returns whether a parameter is a scalar text, and not a list, an object or a document. */
function isText(document: OpenApiDocument, { schema, content }: ParameterObject): boolean {
  if (content !== undefined) return false;
  const effective = effectiveSchema(document, schema);
  const types = typesOf(effective);
  if (types.length > 0) return !types.includes("array") && !types.includes("object");
  return ((effective["enum"] ?? [[]]) as unknown[]).every((value) => typeof value !== "object");
}

function canCarry(parameter: ParameterObject & { allowEmptyValue?: boolean }, text: string): boolean {
  const { in: where, allowEmptyValue } = parameter;
  if (where === "header" || where === "cookie") return /^[\x21-\x7e]*$/.test(text);
  return where !== "querystring" && (text !== "" || (where === "query" && allowEmptyValue !== true));
}

/**
 * Returns an unknown query parameter. If an object is exploded over the query, every name may be its field, so none is
 * unknown.
 */
function unknownParameter(document: OpenApiDocument, parameters: ParameterObject[]): NegativeInput[] {
  const isObject = ({ schema }: ParameterObject) => typesOf(effectiveSchema(document, schema)).includes("object");
  if (parameters.some((parameter) => isExplodedObject(document, parameter) && isObject(parameter))) return [];
  if (parameters.some((parameter) => parameter.in === "querystring")) return [];
  const sent = { of: "no-such-parameter", text: "no-such-parameter=1" };
  return [{ title: "unknown query parameter", apply: (request) => request.query.push(sent) }];
}

function bodyInputs(document: OpenApiDocument, entry: OperationEntry): NegativeInput[] {
  const declared = declaredBody(document, entry);
  if (declared === undefined) return [];
  const { schema, essence, isRequired } = declared;
  const body = (title: string, change: (value: unknown) => unknown): NegativeInput => ({
    title: `body ${title}`,
    apply: (request) => (request.body!.value = change(request.body!.value)),
  });
  const missing: NegativeInput = { title: "body missing", apply: (request) => delete request.body };
  const inputs = isRequired ? [missing] : [];
  if (!isJson(essence) && !isForm(essence)) return inputs;

  const fields = propertiesOf(schema);
  for (const name of requiredOf(document, schema)) {
    if (effectiveSchema(document, fields[name])["default"] !== undefined) continue;
    const without = (value: unknown) => {
      const { [name]: _, ...others } = value as Record<string, unknown>;
      return isForm(essence) && Object.keys(others).length === 0 ? { noSuchField: 1 } : others; // a form has a field
    };
    inputs.push(body(`without the field ${name}`, without));
  }
  const withField = (name: string, field: unknown) => (value: unknown) => ({
    ...(isRecord(value) && value),
    [name]: field,
  });
  const isClosed = schema["additionalProperties"] === false || schema["unevaluatedProperties"] === false;
  if (isClosed && schema["patternProperties"] === undefined)
    inputs.push(body("with an unknown field", withField("noSuchField", 1)));
  if (!isJson(essence)) return inputs;

  inputs.push(body("that is not JSON", () => NOT_JSON));
  for (const { title, value } of invalidValues(document, schema)) inputs.push(body(title, () => value));
  for (const [name, node] of Object.entries(fields)) {
    if (isReadOnly(document, node)) continue;
    for (const { title, value } of invalidValues(document, effectiveSchema(document, node)))
      inputs.push(body(`with the field ${name} ${title}`, withField(name, value)));
  }
  return inputs;
}

/** Longer texts and lists might be rejected for their size instead. */
const LARGEST = 4_000;

/** Schemas with several types get none of these values, because one of the types might accept the value. */
const OF_ANOTHER_TYPE = { integer: "abc", number: "abc", boolean: "maybe", string: 1, array: "abc", object: [] };

/** The keywords of sizes. */
interface Sizes {
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

/** Returns obvious invalid values of an effective schema. Each violates one keyword, as far as possible. */
export function invalidValues(document: OpenApiDocument, schema: Schema): { title: string; value: unknown }[] {
  const [type, ...others] = typesOf(schema) as (keyof typeof OF_ANOTHER_TYPE)[];
  const only = type !== undefined && others.length === 0 && Object.hasOwn(OF_ANOTHER_TYPE, type) ? type : undefined;
  const { minimum, maximum, above, below } = boundsOf(schema);
  const { minLength = 0, maxLength = Infinity, minItems = 0, maxItems = Infinity } = schema as Sizes;
  const number = (value = Infinity) => (Number.isSafeInteger(Math.trunc(value)) ? value : undefined);
  const text = (length: number) => (length >= 0 && length <= LARGEST ? "x".repeat(length) : undefined);
  const list = (length: number) => (length >= 0 && length <= LARGEST ? listOf(document, schema, length) : undefined);
  const patternLength = Math.max(1, minLength);
  const isShort = patternLength <= Math.min(maxLength, LARGEST);
  const values: [title: string, value: unknown][] = [
    ["not in the enum", schema["enum"] && "no-such-value"],
    ["of the wrong type", only && OF_ANOTHER_TYPE[only]],
    ["with a fraction", only === "integer" ? 1.5 : undefined],
    ["below its minimum", minimum === undefined ? undefined : number(minimum - 1)],
    ["above its maximum", maximum === undefined ? undefined : number(maximum + 1)],
    ["at its exclusive minimum", number(above)],
    ["at its exclusive maximum", number(below)],
    ["shorter than allowed", text(minLength - 1)],
    ["longer than allowed", text(maxLength + 1)],
    ["not matching its pattern", isShort ? mismatchOf(schema["pattern"], patternLength) : undefined],
    ["with fewer items than allowed", list(minItems - 1)],
    ["with more items than allowed", list(maxItems + 1)],
  ];
  return values.flatMap(([title, value]) => (value === undefined ? [] : { title, value }));
}

/** Returns a repeated character that does not match a pattern, or undefined if none of a few does. */
function mismatchOf(pattern: unknown, length: number): string | undefined {
  if (typeof pattern !== "string") return undefined;
  try {
    const expression = compilePattern(pattern);
    return ["!", "~", "0", "x", "A", "\u0007"].map((one) => one.repeat(length)).find((text) => !expression.test(text));
  } catch {
    return undefined; // the pattern is not valid in ECMA-262
  }
}

/** Without a valid item, a rejection would say nothing about the number of items. */
function listOf(document: OpenApiDocument, schema: Schema, length: number): unknown[] | undefined {
  try {
    return Array.from({ length }, () => exampleValue(document, schema.items ?? {}, "an item"));
  } catch {
    return undefined;
  }
}
