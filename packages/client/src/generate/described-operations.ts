import {
  type OpenApiDocument,
  type OperationEntry,
  type OperationObject,
  operationsOf,
  type Reference,
  type RequestBodyObject,
  resolve,
  type ResponseObject,
  type Schema,
} from "express-operations/document";
import type { DeclaredDeprecation, Operation } from "../operation.ts";

/** The parts of an operation that the generator writes. */
export interface Described {
  /** The description that the client reads at run time. */
  entry: Operation;
  /** The name of the input type. */
  inputType: string;
  hasBody: boolean;
  isInputRequired: boolean;
  /** The lines of the JSDoc comment. */
  documentation: string[];
}

/** Describes every operation, in the contract's order. Throws a TypeError for an operation that the client cannot call. */
export function describedOperations(document: OpenApiDocument): Described[] {
  return operationsOf(document).map((entry) => describe(document, entry));
}

function describe(document: OpenApiDocument, entry: OperationEntry): Described {
  const { id, path, operation, parameters } = entry;
  const method = entry.method.toUpperCase();
  const body = resolve<RequestBodyObject | undefined>(document, operation.requestBody);
  const json = body?.content?.["application/json"];
  if (body && !json)
    throw new TypeError(`${id} has a request body without application/json. The client sends JSON only.`);
  const schema = resolve<Schema>(document, json?.schema ?? {});
  const locations: Record<string, Operation["parameters"][string]> = {};
  for (const { name, in: location } of parameters) {
    if (location !== "path" && location !== "query" && location !== "header")
      throw new TypeError(
        `${id} has the parameter ${name} in ${location}. The client sends path, query and header parameters only.`,
      );
    if ((locations[name] ?? location) !== location || (body && name === "body"))
      throw new TypeError(`${id} has two arguments named ${name}. Rename one of them in the contract.`);
    locations[name] = location;
  }
  const hasFields = body?.required === true && areArguments(schema, locations);
  if (body && !hasFields) locations["body"] = "body";
  const success = Object.entries(operation.responses ?? {}).filter(([status]) => /^2\d\d$/.test(status));
  const isRead = method === "GET" || method === "HEAD";
  return {
    entry: {
      id,
      method,
      path,
      parameters: locations,
      ...(hasFields && { hasFields }),
      success: success.map(([status]) => Number(status)),
      ...((isRead || locations["Idempotency-Key"] === "header") && { isRetryable: true }),
      ...("cursor" in locations &&
        success.some(([, response]) => hasLinkHeader(document, response)) && { isPaged: true }),
      ...(operation.deprecated && { deprecated: deprecation(operation) }),
    },
    inputType: `${id.charAt(0).toUpperCase()}${id.slice(1)}Input`,
    hasBody: body !== undefined,
    isInputRequired:
      parameters.some(({ required }) => required) ||
      (body?.required === true && (!hasFields || ((schema["required"] ?? []) as string[]).length > 0)),
    documentation: documentation(operation),
  };
}

/** Whether the fields of a body can be arguments: all fields are declared, and none has the name of a parameter. */
function areArguments({ type, properties = {}, additionalProperties }: Schema, locations: object): boolean {
  return (
    type === "object" &&
    additionalProperties === false &&
    !Object.keys(properties as object).some((name) => name in locations)
  );
}

function hasLinkHeader(document: OpenApiDocument, response: ResponseObject | Reference): boolean {
  return "Link" in (resolve<ResponseObject>(document, response).headers ?? {});
}

function deprecation(operation: OperationObject): DeclaredDeprecation {
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
