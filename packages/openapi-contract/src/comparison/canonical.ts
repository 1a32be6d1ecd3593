import { isAnnotation, isRecord, type OpenApiDocument, partsOf, propertiesOf, type Schema } from "openapi-document";

/** A schema as a document writes it: an object or, since OpenAPI 3.1, a boolean. */
export type SchemaNode = Schema | boolean;

/** A map of schemas by property, pattern or name. */
export type Schemas = Record<string, SchemaNode>;

/** `if` with its branches `then` and `else`, which mean nothing alone. */
export interface Condition {
  if: SchemaNode;
  yes: SchemaNode;
  no: SchemaNode;
}

/** `contains` with its counts. */
export interface Contained {
  contains: SchemaNode;
  min: number;
  max: number;
}

/** `prefixItems` with the schema of the items after them. */
export interface Items {
  prefix: SchemaNode[];
  rest: SchemaNode;
}

/** The schema of the fields that a schema object does not know: `additionalProperties` or `unevaluatedProperties`. */
export interface Others {
  schema: SchemaNode;
  names: string[];
  patterns: string[];
  /** The choices of the schema object, if the fields that it knows depend on the value. */
  choices?: Schema;
}

const NAMES_AND_NOTES = new Set(["$id", "$anchor", "$dynamicAnchor", "$schema", "$vocabulary", "$defs", "definitions"]);

/** Returns whether a keyword of a schema excludes no value. */
export function isNote(keyword: string): boolean {
  return isAnnotation(keyword) || NAMES_AND_NOTES.has(keyword);
}

/**
 * Returns the keywords of one schema object in one notation: that of OpenAPI 3.1, without `$ref`, `allOf`, and those that exclude
 * nothing. Keywords that mean something only together are one value: `if` is a `Condition`, `contains` a `Contained`, `items` an `Items`, and
 * `additionalProperties` and `unevaluatedProperties` are `Others`.
 */
export function canonicalKeywords(document: OpenApiDocument, own: Schema): Record<string, unknown> {
  const { $ref: _, allOf: __, nullable, if: condition, then, else: otherwise, ...others } = own;
  const { minContains, maxContains, prefixItems, ...plain } = others;
  const keywords: Record<string, unknown> = {
    ...plain,
    ...typeOf(own.type, nullable),
    ...boundsOf(own),
    ...formatOf(own),
    ...dependenciesOf(own),
  };
  if (condition !== undefined) keywords["if"] = { if: condition, yes: then ?? true, no: otherwise ?? true };
  if (own["contains"] !== undefined)
    keywords["contains"] = { contains: own["contains"], min: minContains ?? 1, max: maxContains ?? Infinity };
  if (own.items !== undefined || prefixItems !== undefined) {
    const prefix = [prefixItems ?? []].flat() as SchemaNode[];
    const isEnd = isNothing(own.items); // as a bound on the number of items
    keywords["items"] = { prefix, rest: isEnd ? true : (own.items ?? true) };
    if (isEnd) keywords["maxItems"] = Math.min(Number(own["maxItems"] ?? Infinity), prefix.length);
  }
  for (const key of ["additionalProperties", "unevaluatedProperties"] as const)
    if (own[key] !== undefined) keywords[key] = othersOf(document, own, key);
  const entries = Object.entries(keywords).filter(([key, value]) => value !== undefined && !isEmpty(key, value));
  return Object.fromEntries(entries);
}

/** Returns whether a schema allows every value by what it writes, without its references. */
export function isAnything(schema: unknown): boolean {
  return schema === true || (isRecord(schema) && Object.keys(schema).every(isNote));
}

/** Returns whether a schema allows no value by what it writes: `false` or `not` of a schema that allows every value. */
export function isNothing(schema: unknown): boolean {
  return schema === false || (isRecord(schema) && isAnything(schema["not"]));
}

/** Returns whether a keyword with this value excludes nothing. */
function isEmpty(keyword: string, value: unknown): boolean {
  if (NAMES_AND_NOTES.has(keyword)) return true;
  switch (keyword) {
    case "minLength":
    case "minItems":
    case "minProperties":
      return value === 0;
    case "uniqueItems":
      return value === false;
    case "required":
      return Array.isArray(value) && value.length === 0;
    case "properties":
    case "patternProperties":
    case "dependentRequired":
    case "dependentSchemas":
      return isRecord(value) && Object.keys(value).length === 0;
    case "pattern":
      return ["", "^", "$", ".*", "^.*", ".*$", "[\\s\\S]*", "^[\\s\\S]*$"].includes(value as string);
    case "not":
      return isNothing(value);
    case "propertyNames":
    case "unevaluatedItems":
      return isAnything(value);
    case "if":
      return [(value as Condition).yes, (value as Condition).no].every(isAnything);
    case "contains":
      return (value as Contained).min === 0 && (value as Contained).max === Infinity;
    case "items":
      return [...(value as Items).prefix, (value as Items).rest].every(isAnything);
    case "additionalProperties":
    case "unevaluatedProperties":
      return isAnything((value as Others).schema);
    default:
      return false;
  }
}

/** `nullable` of OpenAPI 3.0 adds null to a type. */
function typeOf(type: Schema["type"], nullable: unknown): object {
  return nullable === true && type !== undefined ? { type: [type, "null"].flat() } : {};
}

/** In OpenAPI 3.0 the exclusive keyword is a flag beside the bound. */
function boundsOf(own: Schema): Record<string, unknown> {
  const bounds = ["minimum", "maximum"].map((bound) => {
    const exclusive = `exclusive${bound[0]!.toUpperCase()}${bound.slice(1)}`;
    const flag = own[exclusive];
    if (typeof flag !== "boolean") return {};
    return { [bound]: flag ? undefined : own[bound], [exclusive]: flag ? own[bound] : undefined };
  });
  return { ...bounds[0], ...bounds[1] };
}

/** `byte` and `binary` of OpenAPI 3.0 are content keywords in 3.1. `password` is a hint for forms. */
function formatOf({ format, contentEncoding, contentMediaType }: Schema): object {
  if (format === "byte") return { format: undefined, contentEncoding: contentEncoding ?? "base64" };
  if (format === "binary")
    return { format: undefined, contentMediaType: contentMediaType ?? "application/octet-stream" };
  return format === "password" ? { format: undefined } : {};
}

/** A schema of `dependentSchemas` that only requires fields is an entry of `dependentRequired`. */
function dependenciesOf({ dependentSchemas, dependentRequired }: Schema): object {
  if (!isRecord(dependentSchemas)) return {};
  const isRequirement = (schema: unknown): schema is { required: string[] } =>
    isRecord(schema) &&
    Array.isArray(schema["required"]) &&
    Object.keys(schema).every((key) => key === "required" || isNote(key));
  const entries = Object.entries(dependentSchemas);
  const required = entries.flatMap(([name, schema]) =>
    isRequirement(schema) ? [[name, schema.required] as const] : [],
  );
  const names = { ...(dependentRequired as Record<string, string[]>) };
  for (const [name, more] of required) names[name] = [...new Set([...(names[name] ?? []), ...more])].toSorted();
  return {
    dependentSchemas: Object.fromEntries(entries.filter(([, schema]) => !isRequirement(schema))),
    ...(required.length > 0 && { dependentRequired: names }),
  };
}

const CHOICES = ["anyOf", "oneOf", "if", "then", "else", "dependentSchemas"];

/** `unevaluatedProperties` knows the fields of `$ref` and `allOf` too, and depends on the value beside a choice. */
function othersOf(document: OpenApiDocument, own: Schema, key: keyof Schema & string): Others {
  const parts = key === "unevaluatedProperties" ? partsOf(document, own) : [own];
  const known = {
    schema: own[key] as SchemaNode,
    names: [...new Set(parts.flatMap((part) => Object.keys(propertiesOf(part))))].toSorted(),
    patterns: parts.flatMap(({ patternProperties }) => Object.keys(patternProperties ?? {})).toSorted(),
  };
  const hasChoice = parts.some((part) => CHOICES.some((keyword) => part[keyword] !== undefined));
  if (key === "additionalProperties" || !hasChoice) return known;
  const inPlace = Object.entries(own).filter(([keyword]) => [...CHOICES, "$ref", "allOf"].includes(keyword));
  return { ...known, choices: Object.fromEntries(inPlace) };
}
