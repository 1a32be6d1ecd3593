import type { Example } from "express-operations/conformance";
import {
  areArguments,
  essenceOf,
  isJson,
  type OpenApiDocument,
  type OperationEntry,
  operationsOf,
  parameterNames,
  propertyKey,
  type RequestBodyObject,
  requirementsOf,
  resolve,
  type Schema,
} from "openapi-document";
import { curlExample, exampleRequestOf } from "./curl-examples.ts";

/** A sample for the extension `x-codeSamples`. */
export interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

/**
 * Returns samples that call each operation, by method and path: first with the client, then with curl. Operations without an
 * example of a required value have none, and without a client there is curl alone. The environment has the address and the credentials.
 */
export function codeSamples(
  document: OpenApiDocument,
  client: ClientSettings | undefined,
): Record<string, CodeSample[]> {
  const prefix = client === undefined ? "API" : snakeCase(client.name);
  const samples = operationsOf(document).map((entry): [string, CodeSample[]] => {
    const call = client && clientProgram(document, entry, client);
    const curl = curlExample(document, entry);
    return [
      `${entry.method.toUpperCase()} ${entry.path}`,
      [
        ...(call === undefined ? [] : [{ lang: "typescript", label: client!.package, source: call }]),
        ...(curl === undefined ? [] : [{ lang: "shell", label: "curl", source: withVariables(curl, prefix) }]),
      ],
    ];
  });
  return Object.fromEntries(samples.filter(([, own]) => own.length > 0));
}

function withVariables(curl: string, prefix: string): string {
  return curl
    .replaceAll("{url}", `$${prefix}_URL`)
    .replaceAll("{key}", `$${prefix}_KEY`)
    .replaceAll("$TOKEN", `$${prefix}_TOKEN`);
}

/** The settings of the generated client that calls are written with. */
export interface ClientSettings {
  /** The name of the package. */
  package: string;
  /** The name in `createPetstore`. */
  name: string;
  /** The client's option for the credential of a security scheme, by scheme. */
  security?: Record<string, string>;
  /** Settings of single operations, by operationId. `false` leaves an operation out. */
  operations?: Record<string, false | { name?: string }>;
}

/** Returns a program that calls one operation; undefined if the document has no example of a required value. */
function clientProgram(document: OpenApiDocument, entry: OperationEntry, client: ClientSettings): string | undefined {
  const call = callOf(document, entry, client);
  if (call === undefined) return undefined;
  const { name } = client;
  const variable = name.charAt(0).toLowerCase() + name.slice(1);
  const [requirement = {}] = requirementsOf(document, entry);
  const credentials = Object.keys(requirement).flatMap((scheme) => client.security?.[scheme] ?? []);
  const prefix = `process.env.${snakeCase(name)}`;
  return [
    `import { create${name} } from ${JSON.stringify(client.package)};`,
    "",
    `const ${variable} = create${name}({`,
    `  baseUrl: ${prefix}_URL!,`,
    ...credentials.map((option) => `  ${option}: ${prefix}_${snakeCase(option).replace(/^API_/, "")}!,`),
    "});",
    `const result = await ${variable}.${call};`,
    "if (result.ok) console.log(result.data);",
    "else console.error(result.status, result.error);",
  ].join("\n");
}

/** Returns the call of one operation by its name, or by its path where the name in the client may differ from the operationId. */
function callOf(document: OpenApiDocument, entry: OperationEntry, client: ClientSettings): string | undefined {
  const settings = client.operations?.[entry.id];
  const request = exampleRequestOf(document, entry);
  const parameters = request && exampleParameters(document, entry, request);
  if (settings === false || request === undefined || parameters === undefined) return undefined;
  const body = bodyOf(request);
  if (body === "other") return undefined;
  const name = settings?.name ?? entry.id;
  const names = entry.parameters.map((parameter) => parameter.name);
  const hasName = settings?.name !== undefined || /^[a-z]\w*[A-Z0-9_]\w*$/.test(entry.id); // no reserved word has a capital
  const hasFields = body !== undefined && areFields(document, entry, names);
  if (hasName && new Set([...names, "body", "contentType"]).size === names.length + 2) {
    const flat = Object.assign({}, ...Object.values(parameters)) as Record<string, unknown>;
    const input = { ...flat, ...(hasFields ? (body.value as object) : body && { body: body.value }) };
    return `${name}(${Object.keys(input).length === 0 ? "" : wrapped(input)})`;
  }
  const init = { ...(Object.keys(parameters).length > 0 && { params: parameters }), ...(body && { body: body.value }) };
  const second = Object.keys(init).length === 0 ? "" : `, ${wrapped(init)}`;
  return `${entry.method.toUpperCase()}(${JSON.stringify(entry.path)}${second})`;
}

/** Returns the JSON body of a request; undefined without a body, and `other` for a body that is not JSON. */
function bodyOf({ body, headers }: Example): { value: unknown } | "other" | undefined {
  if (body === undefined) return undefined;
  return typeof body === "string" && isJson(essenceOf(headers["content-type"] ?? ""))
    ? { value: JSON.parse(body) as unknown }
    : "other";
}

/** Whether the fields of the body are arguments, by the rule of fetch-operations. */
function areFields(document: OpenApiDocument, { operation }: OperationEntry, parameters: string[]): boolean {
  const { required, content = {} } = resolve<RequestBodyObject>(document, operation.requestBody ?? {});
  const [media, ...others] = Object.values(content);
  const schema = resolve<Schema>(document, media?.schema ?? {});
  return required === true && others.length === 0 && areArguments(schema, parameters);
}

type Parameters = Record<string, Record<string, unknown>>;

/** Returns the required parameters of a request by location; undefined if one is neither a string, a number nor a boolean. */
function exampleParameters(
  document: OpenApiDocument,
  entry: OperationEntry,
  { target, headers }: Example,
): Parameters | undefined {
  const [, path = "", query = ""] = /^([^?]*)\??(.*)$/s.exec(target)!;
  const segments = new RegExp(
    `^${entry.path.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{[^}]+\}/g, "([^/]*)")}$`,
  )
    .exec(path)
    ?.slice(1)
    .map(decodeURIComponent);
  const names = parameterNames(entry.path);
  const parameters: Parameters = {};
  for (const { name, in: location, required, schema, content } of entry.parameters) {
    if (location !== "path" && required !== true) continue;
    const { type } = resolve<{ type?: string | string[] }>(document, schema ?? {});
    const text = {
      path: () => segments?.[names.indexOf(name)],
      query: () => new URLSearchParams(query).get(name) ?? undefined,
      header: () => headers[name.toLowerCase()],
      cookie: () => undefined,
    }[location as "path" | "query" | "header" | "cookie"]();
    const isScalar = typeof type === "string" && ["string", "integer", "number", "boolean"].includes(type);
    if (text === undefined || content !== undefined || !isScalar) return undefined;
    (parameters[location] ??= {})[name] = type === "string" ? text : (JSON.parse(text) as unknown);
  }
  return parameters;
}

function fieldsOf(value: object): string[] {
  return Object.entries(value).map(([key, field]) => `${propertyKey(key)}: ${literal(field)}`);
}

/** The longest literal on the line of a call, so that the reference page shows it without scrolling. */
const LINE = 24;

/** Writes an object as a TypeScript literal, with a line for each field if it is long. */
function wrapped(value: object): string {
  const line = literal(value);
  return line.length <= LINE
    ? line
    : `{\n${fieldsOf(value)
        .map((field) => `  ${field},\n`)
        .join("")}}`;
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = fieldsOf(value);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

/** Returns a name in capitals, as in the environment. */
function snakeCase(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toUpperCase();
}
