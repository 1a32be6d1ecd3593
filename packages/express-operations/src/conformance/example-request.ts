import {
  type ExampleObject,
  type OpenApiDocument,
  type OperationEntry,
  type ParameterObject,
  type RequestBodyObject,
  resolve,
  type Schema,
} from "../document.ts";
import { isJson, parseMediaType } from "../media-type.ts";

/** A request taken apart, so that a check can change one thing about it. */
export interface ExampleRequest {
  method: string;
  path: Record<string, string>;
  query: [name: string, value: string][];
  headers: Record<string, string>;
  body?: { contentType: string; value: unknown };
}

/**
 * A request that the document gives as valid: what is required, with the values of its examples, else of its defaults
 * and enums, else the smallest that its types and bounds allow. Throws where none of these tells.
 */
export function exampleRequest(document: OpenApiDocument, entry: OperationEntry): ExampleRequest {
  const request: ExampleRequest = { method: entry.method.toUpperCase(), path: {}, query: [], headers: {} };
  for (const parameter of entry.parameters) {
    if (parameter.in === "path" || parameter.required === true)
      place(request, parameter, exampleText(document, parameter));
  }
  const requestBody = resolve<RequestBodyObject>(document, entry.operation.requestBody ?? {});
  const contents = Object.entries(requestBody.content ?? {});
  const chosen = contents.find(([type]) => isJson(parseMediaType(type)?.essence ?? "")) ?? contents[0];
  if (chosen === undefined) return request;
  const [contentType, { schema, example, examples }] = chosen;
  const value =
    example ?? firstValue(document, examples) ?? exampleValue(document, schema ?? {}, `the body of "${entry.id}"`);
  return { ...request, body: { contentType, value: structuredClone(value) } };
}

/** Sets a parameter, in place of what the request has of it. */
export function place(request: ExampleRequest, { in: where, name }: ParameterObject, ...texts: string[]): void {
  if (where === "path") request.path[name] = texts[0]!;
  else if (where === "query") {
    request.query = [
      ...request.query.filter(([other]) => other !== name),
      ...texts.map((text): [string, string] => [name, text]),
    ];
  } else if (where === "header") request.headers[name] = texts[0]!;
  else request.headers["Cookie"] = [request.headers["Cookie"], `${name}=${texts[0]}`].filter(Boolean).join("; ");
}

/** A valid value of a parameter, as it is written in a request. */
export function exampleText(document: OpenApiDocument, parameter: ParameterObject): string {
  const { example, examples, schema = {}, name } = parameter;
  const value = example ?? firstValue(document, examples) ?? exampleValue(document, schema, `parameter "${name}"`);
  return Array.isArray(value) ? value.join(",") : String(value);
}

function firstValue(document: OpenApiDocument, examples: Record<string, ExampleObject> | undefined): unknown {
  const [first] = Object.values(examples ?? {});
  return first === undefined ? undefined : resolve<ExampleObject>(document, first).value;
}

function exampleValue(document: OpenApiDocument, node: Schema, where: string): unknown {
  const schema = resolve<Schema>(document, node);
  const given = schema["example"] ?? (schema["examples"] as unknown[] | undefined)?.[0] ?? schema["default"];
  const listed = given ?? schema["const"] ?? (schema["enum"] as unknown[] | undefined)?.[0];
  if (listed !== undefined) return listed;
  const [member] = (schema["oneOf"] ?? schema["anyOf"] ?? schema["allOf"] ?? []) as Schema[];
  if (member !== undefined) return exampleValue(document, member, where);
  switch ([schema.type].flat()[0]) {
    case "integer":
    case "number":
      return schema["minimum"] ?? schema["maximum"] ?? 1;
    case "boolean":
      return true;
    case "array":
      return schema["minItems"] === undefined ? [] : [exampleValue(document, schema.items ?? {}, where)];
    case "object": {
      const fields = (schema["properties"] ?? {}) as Record<string, Schema>;
      const required = (schema["required"] ?? []) as string[];
      return Object.fromEntries(required.map((name) => [name, exampleValue(document, fields[name] ?? {}, where)]));
    }
    default:
      if (schema["pattern"] === undefined && schema["format"] === undefined)
        return "x".repeat(Number(schema["minLength"] ?? 1));
      throw new Error(`The document gives no example for ${where}: add one.`);
  }
}
