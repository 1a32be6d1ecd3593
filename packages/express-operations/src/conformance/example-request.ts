import type { OpenApiDocument, OperationEntry, ParameterObject } from "../document/document.ts";
import { exampleValue, firstExample } from "./example-value.ts";
import { place, type SentParameters } from "./parameter-style.ts";
import { exampleBody, type RequestBody } from "./request-body.ts";

/** What entitles a request: headers, cookies among them, and query parameters, as they are before encoding. */
export interface Credentials {
  headers?: Record<string, string>;
  query?: Record<string, string>;
}

/** A request taken apart, so that a check can change one thing about it. */
export interface ExampleRequest extends SentParameters {
  method: string;
  /** The path template; its parameters are in `path`. */
  template: string;
  credentials: Credentials;
  body?: RequestBody;
}

/**
 * A request that the document gives as valid: what is required, with the values of its examples, else of its defaults
 * and enums, else the smallest that its types and bounds allow. Throws where none of these tells.
 */
export function exampleRequest(
  document: OpenApiDocument,
  entry: OperationEntry,
  credentials: Credentials = {},
): ExampleRequest {
  const request: ExampleRequest = {
    method: entry.method.toUpperCase(),
    template: entry.path,
    path: {},
    query: [],
    headers: new Headers(),
    cookies: {},
    credentials,
  };
  for (const parameter of meaningfulParameters(entry)) {
    if (parameter.in === "path" || parameter.required === true) {
      place(request, parameter, exampleParameter(document, parameter));
    }
  }
  const body = exampleBody(document, entry);
  return body === undefined ? request : { ...request, body };
}

/** A valid value of a parameter; never an empty list or object, which most styles cannot tell from none. */
export function exampleParameter(document: OpenApiDocument, parameter: ParameterObject): unknown {
  const { example, examples, schema, content, name } = parameter;
  const [media] = Object.values(content ?? {}) as Pick<ParameterObject, "schema" | "example">[];
  const node = { allOf: [schema ?? media?.schema ?? {}, { minItems: 1, minProperties: 1 }] };
  const given = example ?? firstExample(document, examples) ?? media?.example;
  return given ?? exampleValue(document, node, `parameter "${name}"`);
}

/** The parameters of an operation, without the headers whose declaration means nothing (OpenAPI 3.1, "Parameter Object"). */
export function meaningfulParameters(entry: OperationEntry): ParameterObject[] {
  return entry.parameters.filter(
    ({ in: where, name }) => where !== "header" || !/^(?:accept|content-type|authorization)$/i.test(name),
  );
}

/** The path that a request is sent to, below the base URL. */
export function pathOf({ template, path }: ExampleRequest): string {
  return template.replace(/\{([^}]+)\}/g, (_, name: string) => path[name] ?? "x");
}
