import { type OutputUnit, Validator } from "@cfworker/json-schema";
import { typesOfSchema } from "../contract/schema-types.ts";
import { type OpenApiDocument, resolve, type Schema } from "openapi-document";

/** The place and the reason of a value that does not match its schema. */
export interface SchemaError {
  pointer: string;
  message: string;
}

/** Returns the pointer to a parameter of a request, such as `/query/limit` or `/headers/Authorization`. */
export function pointerTo(location: string, name: string): string {
  const isPlural = location === "header" || location === "cookie";
  return `/${location}${isPlural ? "s" : ""}/${name}`;
}

/** Validates a value against its schema. Returns the innermost error, or undefined. `pointer` is the value's place. */
export type Validate = (value: unknown, schema: Schema | undefined, pointer: string) => SchemaError | undefined;

/** Returns the validator of a document's schemas. Each schema gets the components, because references are relative to the root. */
export function schemaValidator(document: OpenApiDocument): Validate {
  const validators = new WeakMap<Schema, Validator>();
  const draft = document.openapi.startsWith("3.0") ? "4" : "2020-12";
  const { components = {} } = document as { components?: { schemas?: unknown } };
  let schemas: unknown;
  const validatorOf = (schema: Schema): Validator => {
    const known = validators.get(schema);
    if (known !== undefined) return known;
    schemas ??= withoutData(components.schemas, true);
    const validator = new Validator({ ...(withoutData(schema) as object), components: { schemas } }, draft);
    validators.set(schema, validator);
    return validator;
  };
  return (value, schema, pointer) => {
    if (schema === undefined) return undefined;
    let error: OutputUnit | undefined;
    try {
      error = validatorOf(schema).validate(value).errors.at(-1); // the innermost error
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause;
      return { pointer, message: "The schema leads to itself without end, so no value can be validated." };
    }
    if (error === undefined) return undefined;
    const isUndeclared = error.keyword === "false";
    return {
      pointer: pointer + decodeURIComponent(error.instanceLocation.slice(1)),
      message: isUndeclared ? "The contract has no such field." : error.error,
    };
  };
}

const DATA = new Set(["default", "example", "examples"]);
const MAPS = new Set(["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"]);

/**
 * Returns a schema, or a map of schemas by name, without its data. The validator takes a text named `id` in an example for the
 * identifier of a schema.
 */
function withoutData(node: unknown, isMap = false): unknown {
  if (Array.isArray(node)) return node.map((item) => withoutData(item));
  if (typeof node !== "object" || node === null) return node;
  const entries = Object.entries(node).filter(([key]) => isMap || !(DATA.has(key) || key.startsWith("x-")));
  const kept = entries.map(([key, value]): [string, unknown] => {
    const isValue = !isMap && (key === "enum" || key === "const");
    return [key, isValue ? value : withoutData(value, !isMap && MAPS.has(key))];
  });
  return Object.fromEntries(kept);
}

/** Parses a text by the type of its schema: a plain decimal number, or `true` or `false`. Returns any other text unchanged. */
export function valueOf(document: OpenApiDocument, text: string, schema: Schema | undefined): unknown {
  return JSON.parse(scalarJson(document, text, schema));
}

/** Returns the JSON of a text by the type of its schema: of a plain decimal number, of `true` or `false`, or of any other text. */
export function scalarJson(document: OpenApiDocument, text: string, schema: Schema | undefined): string {
  const types = typesOfSchema(document, schema);
  const isNumeric = (types.has("integer") || types.has("number")) && !types.has("string");
  if (isNumeric && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return text;
  return types.has("boolean") && (text === "true" || text === "false") ? text : JSON.stringify(text);
}

export function itemSchema(document: OpenApiDocument, schema: Schema | undefined): Schema | undefined {
  return partsOf(document, schema).find(({ items }) => items !== undefined)?.items;
}

/** Returns the schema of a field, if the schema of its object allows the field. */
export function fieldSchema(document: OpenApiDocument, schema: Schema | undefined, name: string): Schema | undefined {
  const parts = partsOf(document, schema);
  const own = parts.map(({ properties }) => (properties as Record<string, Schema> | undefined)?.[name]);
  const known = own.find((property) => property !== undefined);
  if (known !== undefined) return known;
  const rest = parts.map(({ additionalProperties }) => (additionalProperties === true ? {} : additionalProperties));
  return rest.find((one): one is Schema => typeof one === "object" && one !== null);
}

/** Returns an example without the fields that its schema forbids. Requests and responses share examples with `writeOnly` fields. */
export function withoutForbidden(document: OpenApiDocument, schema: Schema | undefined, example: unknown): unknown {
  if (Array.isArray(example)) {
    const items = itemSchema(document, schema);
    return example.map((item) => withoutForbidden(document, items, item));
  }
  if (typeof example !== "object" || example === null) return example;
  const fields = Object.entries(example).map(([name, value]) => [name, value, fieldSchema(document, schema, name)]);
  const kept = fields.filter(([, , field]) => field !== false);
  return Object.fromEntries(
    kept.map(([name, value, field]) => [name, withoutForbidden(document, field as Schema | undefined, value)]),
  );
}

/** Returns a schema and the schemas that it is composed of. */
function partsOf(document: OpenApiDocument, given: Schema | undefined, seen = new Set<Schema>()): Schema[] {
  if (given === undefined) return [];
  const schema = resolve<Schema>(document, given);
  if (seen.has(schema)) return [];
  seen.add(schema);
  const parts = ["allOf", "oneOf", "anyOf"].flatMap((keyword) => (schema[keyword] ?? []) as Schema[]);
  return [schema, ...parts.flatMap((part) => partsOf(document, part, seen))];
}
