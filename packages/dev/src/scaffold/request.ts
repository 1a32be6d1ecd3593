import {
  type ExampleObject,
  exampleValue,
  type OpenApiDocument,
  type OperationEntry,
  resolve,
  type Schema,
} from "express-operations/reading";

/** A valid request of an operation, as its examples give it. */
export interface ExampleRequest {
  method: string;
  /** Below the base path, with its query. */
  path: string;
  headers: Record<string, string>;
  body: unknown;
}

interface Exemplified {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, ExampleObject>;
}

/** What is required of a request, and nothing else. */
export function exampleRequest(document: OpenApiDocument, entry: OperationEntry): ExampleRequest {
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let path = entry.path;
  for (const parameter of entry.parameters.filter(({ required }) => required === true)) {
    const value = String(valueOf(document, parameter, `parameter "${parameter.name}"`));
    if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, encodeURIComponent(value));
    if (parameter.in === "query") query.set(parameter.name, value);
    if (parameter.in === "header") headers[parameter.name] = value;
  }
  const requestBody = entry.operation.requestBody && resolve(document, entry.operation.requestBody);
  const [media] = Object.values(requestBody?.content ?? {});
  return {
    method: entry.method.toUpperCase(),
    path: query.size === 0 ? path : `${path}?${query.toString()}`,
    headers,
    body: media && valueOf(document, media, "the body"),
  };
}

function valueOf(document: OpenApiDocument, { example, examples, schema }: Exemplified, where: string): unknown {
  const [first] = Object.values(examples ?? {});
  return (
    example ?? (first && resolve<ExampleObject>(document, first).value) ?? exampleValue(document, schema ?? {}, where)
  );
}
