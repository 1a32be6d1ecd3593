import { propertyKey } from "openapi-document";
import type { ContractShapes } from "../contract/shapes.ts";
import type { ClientOperation } from "./operations.ts";
import type { Argument } from "./arguments.ts";
import type { DeclaredResponse, MediaKind } from "./bodies.ts";
import { comment } from "./code.ts";

const METHODS = new Set(["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"]);

/** Returns the path and the method of an operation in the types. QUERY and additional methods have paths of their own. */
export function placeInTypes(method: string, path: string): { path: string; method: string } {
  if (METHODS.has(method)) return { path, method: method.toLowerCase() };
  // No call by path has TRACE. openapi-typescript takes `%` for an escape.
  return { path: `/${method.replaceAll("%", " ")} ${path}`, method: "trace" };
}

/** The declared type of an operation. */
export function declared(operation: ClientOperation): string {
  const { path, method } = placeInTypes(operation.method, operation.path);
  return `paths[${JSON.stringify(path)}][${JSON.stringify(method)}]`;
}

/** Returns the type of an operation's input. It is an interface where possible, because the compiler then shows its name. */
export function inputType(operation: ClientOperation): string {
  const { typeName, body, arguments: parameters } = operation;
  const parts = ["path", "query", "header", "cookie"].flatMap((location) => parametersIn(operation, location));
  const members = parameters.filter(isRenamed).map((argument) => parameterMember(operation, argument));
  if (body?.hasFields) parts.push(bodyType(operation, 0));
  const name = `${typeName}Input`;
  const head = `/** The input of \`${operation.name}\`: ${described(parameters.length > 0, body !== undefined)}. */\n`;
  if (body && body.media.length > 1) {
    const bodies = body.media.map(({ type: mediaType }, index) => {
      const optional = index === 0 ? "?" : "";
      return `{ body: ${bodyType(operation, index)}; contentType${optional}: ${JSON.stringify(mediaType)} }`;
    });
    if (!body.isRequired) bodies.push("{ body?: undefined }");
    if (members.length > 0) parts.push(`{\n${members.join("")}}`);
    return `${head}export type ${name} = ${parts.length > 0 ? `Fields<${parts.join(" & ")}> & ` : ""}(\n  | ${bodies.join("\n  | ")}\n);\n`;
  }
  if (body && !body.hasFields) members.push(`  body${body.isRequired ? "" : "?"}: ${bodyType(operation, 0)};\n`);
  const own = members.join("");
  if (parts.length === 0 && own === "") return `${head}export type ${name} = Record<string, never>;\n`;
  if (parts.length === 0) return `${head}export interface ${name} {\n${own}}\n`;
  return `${head}export interface ${name} extends Fields<${parts.join(" & ")}> {\n${own || namingMember(operation)}}\n`;
}

/**
 * Repeats the first member of an input. The compiler names an interface in its messages only if it has a member of its own;
 * otherwise it shows what the interface extends.
 */
function namingMember(operation: ClientOperation): string {
  const [argument] = operation.arguments;
  if (argument !== undefined) return parameterMember(operation, argument);
  const { firstField } = operation.body!;
  if (firstField === undefined) return "";
  return member(
    firstField.name,
    firstField.isRequired,
    `${bodyType(operation, 0)}[${JSON.stringify(firstField.name)}]`,
  );
}

function parameterMember(operation: ClientOperation, { name, wire, in: location, isRequired }: Argument): string {
  return member(name, isRequired, `In<${declared(operation)}, "${location}">[${JSON.stringify(wire)}]`);
}

function member(name: string, isRequired: boolean, type: string): string {
  return `  ${propertyKey(name)}${isRequired ? `: ${type}` : `?: Exclude<${type}, undefined>`};\n`;
}

function described(hasParameters: boolean, hasBody: boolean): string {
  if (!hasParameters && !hasBody) return "no parameters and no body";
  return `its ${[hasParameters && "parameters", hasBody && "body"].filter(Boolean).join(" and ")}`;
}

/** Returns the type of the parameters in a location, without those that have another name as arguments. */
function parametersIn(operation: ClientOperation, location: string): string[] {
  const all = operation.arguments.filter((argument) => argument.in === location);
  const names = all.filter((argument) => !isRenamed(argument)).map(({ wire }) => JSON.stringify(wire));
  if (names.length === 0) return [];
  const own = `In<${declared(operation)}, "${location}">`;
  // OpenAPI ignores some headers as parameters, but openapi-typescript declares them.
  const hasOthers = names.length < all.length || (operation.hasIgnoredHeaders && location === "header");
  return [hasOthers ? `Pick<${own}, ${names.join(" | ")}>` : own];
}

function isRenamed({ name, wire }: Argument): boolean {
  return name !== wire;
}

function bodyType(operation: ClientOperation, index: number): string {
  const { type, kind } = operation.body!.media[index]!;
  const own = `NonNullable<${declared(operation)}["requestBody"]>["content"][${JSON.stringify(type)}]`;
  const types: Partial<Record<MediaKind, string>> = {
    json: own,
    form: own,
    any: own,
    multipart: `Multipart<${own}>`,
    text: "string",
    lines: "string",
    sequence: "string",
  };
  return types[kind] ?? "BinaryBody";
}

export function resultType(operation: ClientOperation, shapes: ContractShapes): string {
  const { responses, typeName, name } = operation;
  const members = responses.flatMap((response) => membersOf(operation, response, responses, shapes));
  const all = [...members, undeclaredError(responses), "Failure"];
  return `/** The results of \`${name}\`. */\nexport type ${typeName}Result =\n  | ${all.join("\n  | ")};\n`;
}

/** Returns the error of the statuses that an operation does not declare. Redirects are among them. */
function undeclaredError(responses: DeclaredResponse[]): string {
  const hasDefault = responses.some(({ key }) => key === "default");
  const statuses = responses.flatMap(({ key, isSuccess }) => {
    if (key === "default") return isSuccess ? ["StatusOf<2>", "ErrorStatus"] : "ErrorStatus";
    if (key === 304) return "304";
    if (!isSuccess && (hasDefault || !/^[45]/.test(String(key)))) return [];
    return typeof key === "number" ? String(key) : `StatusOf<${key[0]}>`;
  });
  const status = statuses.length === 0 ? "ResponseStatus" : `Exclude<ResponseStatus, ${statuses.join(" | ")}>`;
  return `ErrorResponse<${status}, UndeclaredError>`;
}

function membersOf(
  operation: ClientOperation,
  response: DeclaredResponse,
  all: DeclaredResponse[],
  shapes: ContractShapes,
): string[] {
  const { key, isSuccess } = response;
  // A response of every status is a success and an error.
  const isBoth = key === "default" && isSuccess;
  const both = isBoth ? [response, { ...response, isSuccess: false }] : [response];
  return both.flatMap((own) => ownMembers(operation, own, all, shapes));
}

function ownMembers(
  operation: ClientOperation,
  response: DeclaredResponse,
  all: DeclaredResponse[],
  shapes: ContractShapes,
): string[] {
  const { key, media, isSuccess } = response;
  // Redirects end as undeclared errors. 304 is a declared one, because there is no data.
  if (typeof key === "number" && key < 400 && !isSuccess && key !== 304) return [];
  if (key === "1XX" || key === "3XX") return [];
  const status = statusType(response, all);
  if (isSuccess) {
    const several = allTypes(all).size > 1;
    if (media.length === 0) return [`Success<${status}, undefined>`];
    return media.map(({ type, kind }) => {
      const data = dataType(operation, response, type, kind);
      return several ? `SuccessOfType<${status}, ${data}, ${JSON.stringify(type)}>` : `Success<${status}, ${data}>`;
    });
  }
  const bodies = media.map(({ type, kind, object }) => {
    if (kind === "text") return "string";
    if (kind !== "json" && kind !== "any") return "unknown";
    const body = contentType(operation, response, type);
    return shapes.of(object.schema) === undefined ? body : `Unconverted<${body}>`;
  });
  return [`ErrorResponse<${status}, ${bodies.length === 0 ? "EmptyError" : [...new Set(bodies)].join(" | ")}>`];
}

/** The media types of all successes with a body. */
function allTypes(responses: DeclaredResponse[]): Set<string> {
  return new Set(responses.filter(({ isSuccess }) => isSuccess).flatMap(({ media }) => media.map(({ type }) => type)));
}

function statusType({ key, isSuccess }: DeclaredResponse, all: DeclaredResponse[]): string {
  if (typeof key === "number") return String(key);
  const others = all
    .filter((other) => typeof other.key === "number" && other.key >= 400 !== isSuccess)
    .map(({ key: other }) => String(other));
  const ranges = all.filter(({ key: other }) => typeof other === "string" && other.endsWith("XX"));
  const taken = [
    ...others,
    ...(key === "default" ? ranges.map(({ key: range }) => `StatusOf<${(range as string)[0]}>`) : []),
  ];
  const whole = key !== "default" ? `StatusOf<${key[0]}>` : isSuccess ? "StatusOf<2>" : "ErrorStatus";
  return taken.length === 0 ? whole : `Exclude<${whole}, ${taken.join(" | ")}>`;
}

function contentType(operation: ClientOperation, { declaredKey }: DeclaredResponse, type: string): string {
  const key = /^\d+$/.test(declaredKey) ? declaredKey : JSON.stringify(declaredKey);
  return `${declared(operation)}["responses"][${key}]["content"][${JSON.stringify(type)}]`;
}

function dataType(operation: ClientOperation, response: DeclaredResponse, type: string, kind: MediaKind): string {
  const own = contentType(operation, response, type);
  const types: Partial<Record<MediaKind, string>> = {
    json: own,
    any: own,
    text: "string",
    form: "string",
    events: `EventStream<${own}>`,
    lines: `AsyncIterableIterator<${own}>`,
    sequence: `AsyncIterableIterator<${own}>`,
  };
  return types[kind] ?? "Blob";
}

export function itemType({ pages, typeName }: ClientOperation): string {
  const path = pages!.items.split("/").slice(1);
  const keys = path.map((key) => JSON.stringify(key.replaceAll("~1", "/").replaceAll("~0", "~")));
  return `ItemOf<DataOf<${typeName}Result>${keys.length > 0 ? `, [${keys.join(", ")}]` : ""}>`;
}

export function argumentList({ typeName, isInputRequired }: ClientOperation): string {
  return `input${isInputRequired ? "" : "?"}: ${typeName}Input, options?: CallOptions`;
}

/** Returns a member of an interface with one method for each operation. */
export function signature(operation: ClientOperation, result: string): string {
  const { name, documentation } = operation;
  return `${comment(documentation, "  ")}  ${name}: (${argumentList(operation)}) => ${result};\n`;
}
