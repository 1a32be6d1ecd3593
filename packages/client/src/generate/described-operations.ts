import { METHODS, type OpenApiDocument, resolve } from "../fingerprint.ts";
import type { DeprecationFacts, Operation } from "../operation.ts";

/** What is generated of an operation. */
export interface Described {
  /** Its entry in the table that the client reads at run time. */
  entry: Operation;
  /** The name of the type of its input. */
  inputType: string;
  hasBody: boolean;
  isInputRequired: boolean;
  /** Its documentation, line by line. */
  documentation: string[];
}

/** The fields of an Operation Object that matter here: https://spec.openapis.org/oas/v3.1.1.html#operation-object */
interface OperationObject {
  operationId: string;
  summary?: string;
  description?: string;
  deprecated?: boolean;
  "x-deprecated-at"?: string;
  "x-sunset"?: string;
  "x-successor"?: string;
  parameters?: Reference<ParameterObject>[];
  requestBody?: Reference<{ required?: boolean; content: Content }>;
  responses: Record<string, Reference<{ headers?: object; content?: Content }>>;
}

type Content = Record<string, { schema?: Reference<SchemaObject> }>;

interface ParameterObject {
  name: string;
  in: string;
  required?: boolean;
}

interface SchemaObject {
  type?: unknown;
  properties?: object;
  required?: string[];
  additionalProperties?: unknown;
}

type Reference<Target> = Target | { $ref: string };

/** Every operation of the contract, in its order. Throws a TypeError for one that the client could not call. */
export function describedOperations(document: OpenApiDocument): Described[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method] as OperationObject | undefined;
      if (operation === undefined) return [];
      const shared = (item["parameters"] ?? []) as Reference<ParameterObject>[];
      const parameters = [...shared, ...(operation.parameters ?? [])].map((node) => read(document, node));
      return describe(document, method.toUpperCase(), path, operation, parameters);
    }),
  );
}

function describe(
  document: OpenApiDocument,
  method: string,
  path: string,
  operation: OperationObject,
  parameters: ParameterObject[],
): Described {
  const { operationId: id, requestBody } = operation;
  const body = requestBody && read(document, requestBody);
  const json = body?.content["application/json"];
  if (body && !json) throw new TypeError(`${id} takes a body that is not application/json.`);
  const schema = read(document, json?.schema ?? {});
  const places: Record<string, Operation["parameters"][string]> = {};
  for (const { name, in: place } of parameters) {
    if (place !== "path" && place !== "query" && place !== "header")
      throw new TypeError(`${id} has the parameter ${name} in ${place}.`);
    if ((places[name] ?? place) !== place || (body && name === "body"))
      throw new TypeError(`${id} has two arguments of the name ${name}.`);
    places[name] = place;
  }
  const hasFields = body?.required === true && areArguments(schema, places);
  if (body && !hasFields) places["body"] = "body";
  const success = Object.entries(operation.responses).filter(([status]) => /^2\d\d$/.test(status));
  const isRead = method === "GET" || method === "HEAD";
  return {
    entry: {
      id,
      method,
      path,
      parameters: places,
      ...(hasFields && { hasFields }),
      success: success.map(([status]) => Number(status)),
      ...((isRead || places["Idempotency-Key"] === "header") && { isRepeatable: true }),
      ...("cursor" in places && success.some(([, answer]) => linksToNext(document, answer)) && { isPaged: true }),
      ...(operation.deprecated && { deprecated: deprecation(operation) }),
    },
    inputType: `${id.charAt(0).toUpperCase()}${id.slice(1)}Input`,
    hasBody: body !== undefined,
    isInputRequired:
      parameters.some(({ required }) => required) ||
      (body?.required === true && (!hasFields || (schema.required ?? []).length > 0)),
    documentation: documentation(operation),
  };
}

/** Whether the fields of a body can stand beside the parameters: all are known, and none has the name of one. */
function areArguments({ type, properties = {}, additionalProperties }: SchemaObject, places: object): boolean {
  return type === "object" && additionalProperties === false && !Object.keys(properties).some((name) => name in places);
}

function linksToNext(document: OpenApiDocument, answer: OperationObject["responses"][string]): boolean {
  return "Link" in (read(document, answer).headers ?? {});
}

function deprecation(operation: OperationObject): DeprecationFacts {
  const { "x-deprecated-at": since, "x-sunset": sunset, "x-successor": successor } = operation;
  return { ...(since && { since }), ...(sunset && { sunset }), ...(successor && { successor }) };
}

function documentation({ summary, description, deprecated, ...operation }: OperationObject): string[] {
  const { sunset, successor } = deprecation({ ...operation });
  const advice = [sunset && `Will be removed on ${sunset}.`, successor && `Use \`${successor}\`.`]
    .filter(Boolean)
    .join(" ");
  return [
    ...(summary ? [summary, ""] : []),
    ...(description?.trimEnd().split("\n") ?? []),
    ...(deprecated ? [`@deprecated ${advice}`.trimEnd()] : []),
  ];
}

function read<Target>(document: OpenApiDocument, node: Reference<Target>): Target {
  return typeof node === "object" && node !== null && "$ref" in node
    ? read(document, resolve(document, node.$ref) as Reference<Target>)
    : node;
}
