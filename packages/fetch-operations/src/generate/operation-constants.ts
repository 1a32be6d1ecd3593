import { essenceOf } from "../media-type.ts";
import { Code, codeOf, comment } from "./code.ts";
import type { Config } from "./config.ts";
import type { ClientOperation } from "./operations.ts";
import type { RequestBody, MediaKind } from "./bodies.ts";
import type { EncodingObject, MediaTypeObject, Schema } from "openapi-document";
import type { ContractShapes } from "../contract/shapes.ts";
import { argumentList, itemType } from "./operation-types.ts";

const READERS: Record<MediaKind, string> = {
  json: "readJson",
  text: "readString",
  form: "readString",
  multipart: "readBlob",
  events: "readEvents",
  lines: "readLines",
  sequence: "readSequence",
  binary: "readBlob",
  any: "readAny",
};

/** The readers that convert 64-bit integers and dates. */
const TYPED_READERS: Partial<Record<MediaKind, string>> = {
  json: "typedJson",
  any: "typedJson",
  events: "typedEvents",
  lines: "typedLines",
  sequence: "typedSequence",
};

/** The constants of operations, and the names that they import from the runtime. */
export interface Constants {
  code: string;
  imports: Set<string>;
}

/** Returns the descriptions of operations for run time. Each is a constant of its own, so that bundlers drop unused ones. */
export function operationConstants(
  operations: ClientOperation[],
  shared: string[][],
  shapes: ContractShapes,
  config: Pick<Config, "int64" | "dates" | "error">,
): Constants {
  const imports = new Set<string>();
  const taken = new Set(operations.map(({ name }) => name));
  const use = (name: string, code = name): Code => {
    imports.add(taken.has(name) ? `${name} as runtime_${name}` : name);
    return new Code(taken.has(name) ? `runtime_${code}` : code);
  };
  const constants = operations.map((operation) => {
    const { name, documentation, pages } = operation;
    const local = { ...operation, typeName: localTypeName(operation, taken) };
    const args = `[${argumentList(local)}], ${local.typeName}Result`;
    const type = pages ? `PagedOperation<${args}, ${itemType(local)}>` : `Operation<${args}>`;
    return `${comment(documentation)}export const ${name}: ${type} = ${codeOf(descriptionOf(operation, shared, use, shapes, config))};\n`;
  });
  return { code: constants.join("\n"), imports };
}

/** Returns the name of an operation's types among the constants: another one if a constant has the name of one of them. */
export function localTypeName({ typeName }: ClientOperation, constants: ReadonlySet<string>): string {
  const isTaken = constants.has(`${typeName}Input`) || constants.has(`${typeName}Result`);
  return isTaken ? `types_${typeName}` : typeName;
}

/** Returns the arguments of `typedValue` and `typedJson` after the text; undefined for a schema whose JSON is not converted. */
export function shapeArguments(
  schema: Schema | undefined,
  shapes: ContractShapes,
  { dates = "string" }: Pick<Config, "dates">,
): string | undefined {
  const shape = shapes.of(schema);
  // A contract without named shapes has no module of them.
  const named = Object.keys(shapes.named).length > 0 ? "shapes" : "{}";
  return shape && `${JSON.stringify(shape)}, ${named}, ${dates === "string" ? "undefined" : JSON.stringify(dates)}`;
}

function descriptionOf(
  operation: ClientOperation,
  shared: string[][],
  use: (name: string, code?: string) => Code,
  shapes: ContractShapes,
  config: Pick<Config, "int64" | "dates" | "error">,
): object {
  const { id, method, path, body, responses, isRetryable, idempotencyKey, pages, security, server, deprecated } =
    operation;
  const successes = responses.filter(({ isSuccess }) => isSuccess);
  const errors = responses.filter(
    ({ key, isSuccess }) => key === "default" || (!isSuccess && (key === "4XX" || key === "5XX" || Number(key) >= 400)),
  );
  const media = new Map(
    successes.flatMap((response) => response.media.map(({ type, kind, object }) => [type, { kind, object }] as const)),
  );
  const typed = (kind: MediaKind, { schema }: MediaTypeObject): Code | undefined => {
    const name = TYPED_READERS[kind];
    const shape = name && shapeArguments(schema, shapes, config);
    return shape === undefined ? undefined : use(name!, `${name}(${shape})`);
  };
  const isPlain = [...media.values()].every(
    ({ kind, object }) => kind === "json" && shapes.of(object.schema) === undefined,
  );
  // Without an error of the contract, every error response may be empty.
  const mayBeEmpty = config.error
    ? responses.filter((one) => one.isSuccess || errors.includes(one))
    : method === "HEAD"
      ? []
      : successes;
  const empty = mayBeEmpty
    .filter(({ media: { length }, key }) => length === 0 && key !== 204 && key !== 304)
    .map(({ key }) => key);
  const errorKeys = errors.map(({ key }) => key);
  const readers = () =>
    Array.from(media, ([type, { kind, object }]): [string, Code] => {
      const isText = kind === "events" && isTextSchema(object.schema);
      return [type, (isText ? undefined : typed(kind, object)) ?? use(isText ? "readTextEvents" : READERS[kind])];
    });
  return {
    id,
    method,
    path,
    parameters: parametersOf(operation, use),
    ...(body?.hasFields && { hasFields: true }),
    ...(body && bodiesOf(body, use, config.int64 === "bigint" ? "writeBigJson" : "writeJson")),
    success: successes.map(({ key }) => key),
    ...(empty.length > 0 && { empty }),
    ...(!(errorKeys.includes("default") && errorKeys.every((key) => key === "default" || typeof key === "number")) && {
      errors: errorKeys,
    }),
    ...(media.size > 1 && { read: use("mediaTypes", `mediaTypes(${nested(readers())})`) }),
    ...(media.size === 1 && !isPlain && { read: readers()[0]![1] }),
    ...streamsOf(media),
    ...(successes.some(({ isNullable }) => isNullable) && { isNullable: true }),
    ...(isRetryable && { isRetryable }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(pages && { pages }),
    ...(JSON.stringify(security) !== JSON.stringify(shared) && { security }),
    ...(server !== undefined && { server }),
    ...(deprecated && { deprecated }),
  };
}

/** Returns which media types of successes arrive in parts. */
function streamsOf(media: ReadonlyMap<string, { kind: MediaKind }>): object {
  const types = [...media].filter(([, { kind }]) => STREAMS.has(kind)).map(([type]) => essenceOf(type));
  if (types.length === 0) return {};
  return { streams: media.size === 1 ? true : types };
}

const STREAMS = new Set<MediaKind>(["events", "lines", "sequence"]);

/** Whether the data of events is text: by its type, or without a keyword that says otherwise. */
function isTextSchema(schema: MediaTypeObject["schema"] = {}): boolean {
  const { type, ...rest } = schema;
  if (type !== undefined) return [type].flat().includes("string");
  return !["$ref", "oneOf", "anyOf", "allOf", "properties", "items", "enum", "const"].some(
    (keyword) => keyword in rest,
  );
}

function parametersOf(
  { arguments: parameters, body }: ClientOperation,
  use: (name: string, code?: string) => Code,
): object {
  const entries = parameters.map(({ name, wire, in: location, writer }) => {
    const code = writer && (location === "header" && writer.import === "styled" ? headerWriter(writer.code) : writer);
    const place =
      name === wire && !code
        ? location
        : { in: location, ...(name !== wire && { name: wire }), ...(code && { write: use(code.import, code.code) }) };
    return [name, place];
  });
  if (body && !body.hasFields) entries.push(["body", "body"]);
  if (body && body.media.length > 1) entries.push(["contentType", "contentType"]);
  return Object.fromEntries(entries) as object;
}

function headerWriter(code: string): { import: string; code: string } {
  return { import: "styledHeader", code: `styledHeader(${code.includes("true")})` };
}

/** Returns the writers of bodies, unless the only one is `application/json`. */
function bodiesOf(
  { media }: RequestBody,
  use: (name: string, code?: string) => Code,
  json: "writeJson" | "writeBigJson",
): object {
  if (json === "writeJson" && media.length === 1 && media[0]!.type === "application/json") return {};
  const writers = media.map(({ type, kind, object }): [string, Code] => {
    const encoding = encodingOf(object.encoding ?? {});
    const argument = encoding === undefined ? "" : codeOf(encoding);
    if (kind === "form") return [type, use("urlencoded", `urlencoded(${argument})`)];
    if (kind === "multipart") return [type, use("multipart", `multipart(${argument})`)];
    return [type, use(kind === "any" ? "writeAny" : kind === "json" ? json : "writeRaw")];
  });
  return { write: use("bodyTypes", `bodyTypes(${nested(writers)})`) };
}

/** Prints functions by media type as the argument of a function in a field. */
function nested(functions: [type: string, code: Code][]): string {
  return codeOf(Object.fromEntries(functions)).replaceAll("\n", "\n  ");
}

function encodingOf(encoding: Record<string, EncodingObject & { allowReserved?: boolean }>): object | undefined {
  const fields = Object.entries(encoding).flatMap(
    ([name, { contentType, style, explode, allowReserved }]): [string, object][] => {
      if (style !== undefined || explode !== undefined || allowReserved !== undefined) {
        const own = { style: style ?? "form", explode: explode ?? (style ?? "form") === "form" };
        return [[name, { ...own, ...(allowReserved && { allowReserved }) }]];
      }
      return contentType === undefined ? [] : [[name, { contentType }]];
    },
  );
  return fields.length === 0 ? undefined : (Object.fromEntries(fields) as object);
}
