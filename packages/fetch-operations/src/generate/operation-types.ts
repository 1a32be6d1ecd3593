import { propertyKey } from "openapi-document";
import type { ClientOperation } from "./operations.ts";
import type { DeclaredResponse, MediaKind } from "./bodies.ts";
import { comment } from "./code.ts";

/** The declared type of an operation. */
export function declared({ path, method }: ClientOperation): string {
  return `paths[${JSON.stringify(path)}]["${method.toLowerCase()}"]`;
}

/** Returns the type of an operation's input. It is an interface where possible, because the compiler then shows its name. */
export function inputType(operation: ClientOperation): string {
  const { typeName, body, arguments: parameters } = operation;
  const parts = ["path", "query", "header", "cookie"].flatMap((location) => parametersIn(operation, location));
  if (body?.hasFields) parts.push(bodyType(operation, 0));
  const name = `${typeName}Input`;
  const head = `/** The input of \`${operation.name}\`: ${described(parameters.length > 0, body !== undefined)}. */\n`;
  if (body && body.media.length > 1) {
    const bodies = body.media.map(({ type: mediaType }, index) => {
      const optional = index === 0 ? "?" : "";
      return `{ body: ${bodyType(operation, index)}; contentType${optional}: ${JSON.stringify(mediaType)} }`;
    });
    if (!body.isRequired) bodies.push("{ body?: undefined }");
    return `${head}export type ${name} = ${parts.length > 0 ? `Fields<${parts.join(" & ")}> & ` : ""}(\n  | ${bodies.join("\n  | ")}\n);\n`;
  }
  const own = body && !body.hasFields ? `  body${body.isRequired ? "" : "?"}: ${bodyType(operation, 0)};\n` : "";
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
  if (argument !== undefined) {
    const { name, wire, in: location, isRequired } = argument;
    const type = `In<${declared(operation)}, "${location}">[${JSON.stringify(wire)}]`;
    return member(name, isRequired, type);
  }
  const { firstField } = operation.body!;
  if (firstField === undefined) return "";
  return member(
    firstField.name,
    firstField.isRequired,
    `${bodyType(operation, 0)}[${JSON.stringify(firstField.name)}]`,
  );
}

function member(name: string, isRequired: boolean, type: string): string {
  return `  ${propertyKey(name)}${isRequired ? `: ${type}` : `?: Exclude<${type}, undefined>`};\n`;
}

function described(hasParameters: boolean, hasBody: boolean): string {
  if (!hasParameters && !hasBody) return "no parameters and no body";
  return `its ${[hasParameters && "parameters", hasBody && "body"].filter(Boolean).join(" and ")}`;
}

function parametersIn(operation: ClientOperation, location: string): string[] {
  const all = operation.arguments.filter((argument) => argument.in === location);
  if (all.length === 0) return [];
  const renamed = all.filter(({ name, wire }) => name !== wire).map(({ wire }) => JSON.stringify(wire));
  const names = all.map(({ wire }) => JSON.stringify(wire));
  const own = `In<${declared(operation)}, "${location}">`;
  // OpenAPI ignores these headers as parameters, but openapi-typescript declares them.
  const known = operation.hasIgnoredHeaders && location === "header" ? `Pick<${own}, ${names.join(" | ")}>` : own;
  return [renamed.length === 0 ? known : `Renamed<${known}, ${renamed.join(" | ")}, "${location}">`];
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

export function resultType(operation: ClientOperation): string {
  const { responses, typeName, name } = operation;
  const members = responses.flatMap((response) => membersOf(operation, response, responses));
  const all = [...members, ...undeclaredErrors(responses), "Failure"];
  return `/** The results of \`${name}\`. */\nexport type ${typeName}Result =\n  | ${all.join("\n  | ")};\n`;
}

/** Returns the errors of the statuses from 400 on that an operation does not declare. */
function undeclaredErrors(responses: DeclaredResponse[]): string[] {
  const keys = responses.map(({ key }) => key);
  if (keys.includes("default") || (keys.includes("4XX") && keys.includes("5XX"))) return [];
  const statuses = keys.flatMap((key) =>
    key === "4XX" || key === "5XX" ? `StatusOf<${key[0]}>` : Number(key) >= 400 ? String(key) : [],
  );
  const status = statuses.length === 0 ? "ErrorStatus" : `Exclude<ErrorStatus, ${statuses.join(" | ")}>`;
  return [`ErrorResponse<${status}, UndeclaredError>`];
}

function membersOf(operation: ClientOperation, response: DeclaredResponse, all: DeclaredResponse[]): string[] {
  const { key, isSuccess } = response;
  // A response of every status is a success and an error.
  if (key === "default" && isSuccess)
    return [...ownMembers(operation, response, all), ...ownMembers(operation, { ...response, isSuccess: false }, all)];
  return ownMembers(operation, response, all);
}

function ownMembers(operation: ClientOperation, response: DeclaredResponse, all: DeclaredResponse[]): string[] {
  const { key, media, isSuccess } = response;
  // Redirects end as failures. 304 is an error, because there is no data.
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
  const bodies = media.map(({ type, kind }) =>
    kind === "text" ? "string" : kind === "json" || kind === "any" ? contentType(operation, response, type) : "unknown",
  );
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
