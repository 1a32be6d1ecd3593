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

/** Every operation of the contract, in its order. Throws a TypeError for one that the client could not call. */
export function describedOperations(document: OpenApiDocument): Described[] {
  return operationsOf(document).map((entry) => describe(document, entry));
}

function describe(document: OpenApiDocument, entry: OperationEntry): Described {
  const { id, path, operation, parameters } = entry;
  const method = entry.method.toUpperCase();
  const body = resolve<RequestBodyObject | undefined>(document, operation.requestBody);
  const json = body?.content?.["application/json"];
  if (body && !json) throw new TypeError(`${id} takes a body that is not application/json.`);
  const schema = resolve<Schema>(document, json?.schema ?? {});
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
  const success = Object.entries(operation.responses ?? {}).filter(([status]) => /^2\d\d$/.test(status));
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
      (body?.required === true && (!hasFields || ((schema["required"] ?? []) as string[]).length > 0)),
    documentation: documentation(operation),
  };
}

/** Whether the fields of a body can stand beside the parameters: all are known, and none has the name of one. */
function areArguments({ type, properties = {}, additionalProperties }: Schema, places: object): boolean {
  return (
    type === "object" &&
    additionalProperties === false &&
    !Object.keys(properties as object).some((name) => name in places)
  );
}

function linksToNext(document: OpenApiDocument, answer: ResponseObject | Reference): boolean {
  return "Link" in (resolve<ResponseObject>(document, answer).headers ?? {});
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
