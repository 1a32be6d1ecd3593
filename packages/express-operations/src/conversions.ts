import {
  itemAt,
  nonNullTypesOf,
  type Declaration,
  type OpenApiDocument,
  type OperationEntry,
  schemasInPlace,
  type Schema,
  shapesOf,
  unnamedField,
} from "openapi-document";
import type { Fault, RequestData } from "./eov/eov.ts";
import { isDateTime, UUID } from "./eov/value-checks.ts";
import { extensionsOf, type Format, schemaHas } from "./formats.ts";
import { typeName } from "./lists.ts";
import { exactNumbersOf, isExact } from "./request/json.ts";

/** Validates the formats whose values may need a choice between schemas. */
const CHECKS: Record<string, (text: string) => boolean> = {
  "date-time": isDateTime,
  date: (text) => isDateTime(`${text}T00:00:00Z`),
  uuid: (text) => UUID.test(text),
  int64: isInt64,
};

const INT64 = `must be an integer from ${-(2n ** 63n)} to ${2n ** 63n - 1n}`;

function isInt64(text: string): boolean {
  return /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

/** A format that may apply to a value. */
interface Candidate {
  name: string;
  format: Format;
  schema: Schema;
  types: Set<string>;
}

/** The formats that may apply to a value. If `isChoice`, there may be values of no format. */
interface Candidates {
  all: Candidate[];
  isChoice: boolean;
}

/** Returns a function that returns the formats with `key` of a declaration. */
function candidatesFor(document: OpenApiDocument, key: "parse" | "serialize"): (of: Declaration) => Candidates {
  const { formats } = extensionsOf(document)!;
  const known = new WeakMap<Declaration, Candidates>();
  return (declaration) => {
    let found = known.get(declaration);
    if (found === undefined) {
      found = { all: [], isChoice: declaration.schemas.length > 1 };
      const pending = [...declaration.schemas];
      for (const schema of pending) {
        const name = schema["format"] as string;
        const format = Object.hasOwn(formats, name) ? formats[name]! : undefined;
        if (format?.[key] !== undefined || (key === "serialize" && format?.parse !== undefined))
          found.all.push({ name, format, schema, types: nonNullTypesOf(document, schema) });
        const below = schemasInPlace(document, schema).filter(({ keyword }) => keyword !== "not");
        if (below.filter(({ keyword }) => !/^(?:\$ref|allOf)$/.test(keyword)).length > 1) found.isChoice = true;
        for (const { schema: own } of below) if (!pending.includes(own)) pending.push(own);
      }
      known.set(declaration, found);
    }
    return found;
  };
}

/** Converts the values of a valid request in place. Returns the faults of values that cannot be converted. `texts` has the parameters with numbers as texts. */
export type ParseRequest = (
  data: RequestData,
  declaredType: string | undefined,
  texts: Partial<RequestData>,
) => Fault[];

const LOCATIONS = { query: "query", path: "params", header: "headers", cookie: "cookies" } as const;

/** Returns the conversion of an operation's requests, or undefined if there is nothing to convert. */
export function requestConversion(
  document: OpenApiDocument,
  entry: OperationEntry,
  bodies: Record<string, { schema?: Schema }>,
): ParseRequest | undefined {
  const hasParse = (schema: Schema | undefined) => schemaHas(document, schema, ({ parse }) => parse !== undefined);
  const parameters = entry.parameters.flatMap((parameter) => {
    const { in: place, name, schema, content } = parameter;
    const own = schema ?? Object.values(content ?? {})[0]?.schema;
    if (!hasParse(own)) return [];
    const location = LOCATIONS[place === "querystring" ? "query" : place];
    return { location, name: location === "headers" ? name.toLowerCase() : name, schema: own! };
  });
  const byType = new Map(Object.entries(bodies).filter(([, { schema }]) => hasParse(schema)));
  if (parameters.length === 0 && byType.size === 0) return undefined;
  const convert = parserOf(document);
  return (data, declaredType, texts) => {
    const faults: Fault[] = [];
    for (const { location, name, schema } of parameters)
      if (Object.hasOwn(data[location], name))
        convert(data[location], name, schema, { location, path: [name], texts: texts[location]?.[name], faults });
    const schema = byType.get(declaredType ?? "")?.schema;
    const exact = exactNumbersOf(data.body);
    if (schema !== undefined && data.body !== undefined)
      convert(data as unknown as Record<string, unknown>, "body", schema, {
        location: "body",
        path: [],
        texts: exact,
        faults,
      });
    if (faults.length === 0 && exact !== undefined) expectExact(data.body, exact, [], faults);
    return faults;
  };
}

/** Where a value is, and how the client wrote it. */
interface Place {
  location: Fault["location"];
  path: string[];
  /** The value with its numbers as texts; undefined for a value filled in by default. */
  texts: unknown;
  faults: Fault[];
}

function parserOf(document: OpenApiDocument) {
  const shapeFor = shapesOf(document);
  const candidatesOf = candidatesFor(document, "parse");

  const convert = (holder: Record<string, unknown>, key: string, declaration: Declaration, at: Place): void => {
    const value = holder[key];
    if (typeof value === "string" || typeof value === "number") {
      const text = typeof value === "string" ? value : typeof at.texts === "string" ? at.texts : String(value);
      const parsed = parseScalar(value, text, declaration, at);
      if (parsed !== value) holder[key] = parsed;
    } else if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value)) {
      const shape = shapeFor(declaration);
      const isList = Array.isArray(value);
      for (const name of Object.keys(value)) {
        const own = isList ? itemAt(shape, Number(name)) : (shape.fields.get(name) ?? unnamedField(shape, name));
        const texts = (at.texts as Record<string, unknown> | undefined)?.[name];
        if (own !== undefined && own.schemas.length > 0)
          convert(value as Record<string, unknown>, name, own, { ...at, path: [...at.path, name], texts });
      }
    }
  };

  const parseScalar = (value: string | number, text: string, declaration: Declaration, at: Place): unknown => {
    const { all, isChoice } = candidatesOf(declaration);
    const isNumber = typeof value === "number";
    for (const { name, format, schema, types } of all) {
      if (types.size > 0 && (isNumber ? !types.has("number") && !types.has("integer") : !types.has("string"))) continue;
      const plain = isNumber && Number.isSafeInteger(value) && isExact(text.replace("-", "")) ? String(value) : text;
      try {
        const isValid = format.check === undefined ? (CHECKS[name]?.(plain) ?? true) : format.check(value as never);
        if (isValid) return format.parse!(plain);
      } catch {
        // reported as invalid: the message of the error may be internal
      }
      if (!isChoice)
        at.faults.push({
          keyword: "format",
          location: at.location,
          path: at.path,
          params: { format: name },
          schema,
          value,
          ...(name === "int64" && { message: INT64 }),
        });
    }
    return value;
  };

  return (holder: Record<string, unknown>, key: string, schema: Schema, at: Place) =>
    convert(holder, key, { schemas: [schema] }, at);
}

/** Adds a fault for a number that no format has converted and that a double changes. */
function expectExact(value: unknown, texts: unknown, path: string[], faults: Fault[]): void {
  if (typeof value === "number" && typeof texts === "string" && !isExact(texts.replace("-", "")))
    faults.push({ keyword: "type", location: "body", path, params: { type: "number" }, schema: {}, value: texts });
  if (typeof value !== "object" || value === null || typeof texts !== "object") return;
  for (const [name, own] of Object.entries(texts as object))
    expectExact((value as Record<string, unknown>)[name], own, [...path, name], faults);
}

/** Converts a value of a response. Returns a copy if something in it is converted. */
export type Serialize = (value: unknown) => unknown;

/** Returns the conversion of values of a schema, or undefined if there is nothing to convert. */
export function serializerOf(document: OpenApiDocument, schema: Schema | undefined): Serialize | undefined {
  const converts = ({ parse, serialize }: Format) => (parse ?? serialize) !== undefined;
  if (!schemaHas(document, schema, converts)) return undefined;
  const shapeFor = shapesOf(document);
  const candidatesOf = candidatesFor(document, "serialize");

  const convert = (value: unknown, declaration: Declaration, path: string): unknown => {
    if (value === null || value === undefined || typeof value === "boolean") return value;
    const { all, isChoice } = candidatesOf(declaration);
    for (const candidate of all) {
      try {
        return written(value, candidate);
      } catch (cause) {
        if (isChoice) continue;
        const place = path === "" ? "the response" : `${path} of the response`;
        throw new TypeError(
          `The value of ${place} cannot be written in the format "${candidate.name}". Return another value, or correct formats.${candidate.name}.serialize.`,
          { cause },
        );
      }
    }
    if (typeof value !== "object") return value;
    const shape = shapeFor(declaration);
    if (Array.isArray(value)) return value.map((item, at) => convert(item, itemAt(shape, at), `${path}/${at}`));
    if ("toJSON" in value || ArrayBuffer.isView(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => {
        const own = shape.fields.get(name) ?? unnamedField(shape, name);
        return [name, own === undefined ? field : convert(field, own, `${path}/${name}`)];
      }),
    );
  };
  return (value) => convert(value, { schemas: [schema!] }, "");
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The part of `JSON` that TypeScript does not know. */
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON: (text: string) => unknown;
  isRawJSON: (value: unknown) => boolean;
};

export const isRawJson = isRawJSON;

/** Returns a value as JSON writes it. Throws if it is invalid. */
function written(value: unknown, { name, format, types }: Candidate): unknown {
  const { serialize, check } = format;
  const result = serialize === undefined ? value : serialize(value as never);
  const isText = typeof result === "string" && (types.size === 0 || types.has("string"));
  const digits =
    typeof result === "bigint" || typeof result === "number" || typeof result === "string" ? String(result) : "";
  if (!isText && (!JSON_NUMBER.test(digits) || (types.size > 0 && !types.has("number") && !types.has("integer"))))
    throw new TypeError(`The result is ${typeName(result)}.`);
  const isValid =
    check === undefined ? (CHECKS[name]?.(digits) ?? true) : check((isText ? digits : Number(digits)) as never);
  if (!isValid) throw new TypeError("The result is not valid in this format.");
  return isText || typeof result === "number" ? result : rawJSON(digits);
}
