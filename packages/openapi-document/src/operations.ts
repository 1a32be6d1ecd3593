import type {
  Callback,
  OpenApiDocument,
  OperationEntry,
  OperationObject,
  ParameterObject,
  Reference,
  RequestBodyObject,
  SecurityRequirement,
  SecurityScheme,
} from "./objects.ts";
import { isVersion32 } from "./openapi-3-2.ts";
import { resolve } from "./references.ts";

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** Returns every operation under `paths`. Callbacks and webhooks are left out, because other servers implement them. */
export function operationsOf(document: OpenApiDocument): OperationEntry[] {
  const paths = Object.entries(document.paths ?? {}).filter(([path]) => !path.startsWith("x-"));
  return paths.flatMap(([path, item]) => operationsOfItem(document, path, item as PathItem | Reference));
}

type PathItem = Record<string, unknown>;

/** Returns the operations of a path item, or of the target of its `$ref`. */
function operationsOfItem(document: OpenApiDocument, path: string, reference: PathItem | Reference): OperationEntry[] {
  const item = resolve<PathItem>(document, reference);
  return operationsByMethod(document, item).map(({ method, operation, ...more }) => {
    const id = operation.operationId || `${method.toUpperCase()} ${path}`;
    const own = parametersOf(document, operation.parameters);
    const shared = parametersOf(document, item["parameters"] as OperationObject["parameters"]).filter(
      (outer) => !own.some((inner) => inner.name === outer.name && inner.in === outer.in),
    );
    const parameters = [...shared, ...own].filter((parameter) => !isIgnored(parameter));
    return { id, method, path, operation, parameters, ...more };
  });
}

/** Returns the operations of a path item. The method QUERY and other methods are those of OpenAPI 3.2. */
function operationsByMethod(document: OpenApiDocument, item: PathItem) {
  const methods = isVersion32(document) ? [...METHODS, "query"] : METHODS;
  const additional = isVersion32(document)
    ? Object.entries((item["additionalOperations"] ?? {}) as Record<string, OperationObject>)
    : [];
  return [
    ...methods.flatMap((method) => {
      const operation = item[method] as OperationObject | undefined;
      return operation === undefined ? [] : [{ method, operation }];
    }),
    ...additional.map(([name, operation]) => {
      const method = name === name.toUpperCase() ? name.toLowerCase() : name; // methods are case-sensitive
      return { method, operation, additional: name };
    }),
  ];
}

/** Returns whether a parameter is a header that OpenAPI describes elsewhere (OpenAPI 3.1, "Parameter Object"). */
function isIgnored({ in: place, name }: ParameterObject): boolean {
  return place === "header" && /^(?:accept|content-type|authorization)$/i.test(name);
}

/**
 * Returns whether requests must have a body. `required` does not apply to GET and HEAD: their content has no defined
 * semantics (RFC 9110, sections 9.3.1 and 9.3.2), and many clients cannot send it.
 */
export function isBodyRequired({ method }: OperationEntry, requestBody: RequestBodyObject | undefined): boolean {
  return requestBody?.required === true && method !== "get" && method !== "head";
}

/**
 * Returns the key of a status's declared response: the status, its range, or `default` (OpenAPI 3.1, "Responses
 * Object").
 */
export function responseKey({ operation }: OperationEntry, status: number): string | undefined {
  return [String(status), `${String(status)[0]}XX`, "default"].find((key) =>
    Object.hasOwn(operation.responses ?? {}, key),
  );
}

/** Matches the keys of responses that describe errors. */
export const ERROR_KEY = /^(?:[45]|default)/;

/**
 * Returns the security requirements of an operation; one of them must be satisfied. An operation without its own has
 * those of the document.
 */
export function requirementsOf(document: OpenApiDocument, { operation }: OperationEntry): SecurityRequirement[] {
  return operation.security ?? ((document.security ?? []) as SecurityRequirement[]);
}

/** Returns the security scheme of a name, if the document declares it. */
export function securityScheme(document: OpenApiDocument, name: string): SecurityScheme | undefined {
  const { securitySchemes = {} } = (document.components ?? {}) as { securitySchemes?: Record<string, SecurityScheme> };
  return securitySchemes[name] && resolve<SecurityScheme>(document, securitySchemes[name]);
}

/** Returns the query parameters that carry an API key. The operation need not declare them. */
export function apiKeyParameters(document: OpenApiDocument, entry: OperationEntry): string[] {
  const schemes = requirementsOf(document, entry).flatMap((requirement) => Object.keys(requirement));
  return schemes.flatMap((scheme) => {
    const { type, in: location, name } = securityScheme(document, scheme) ?? {};
    return type === "apiKey" && location === "query" && name !== undefined ? name : [];
  });
}

function parametersOf(document: OpenApiDocument, list: OperationObject["parameters"] = []): ParameterObject[] {
  return list.map((parameter) => resolve<ParameterObject>(document, parameter));
}

/** An operation of a callback, and where its URL comes from. */
export interface CallbackEntry extends OperationEntry {
  /** The operation whose requests the callback follows. */
  parent: OperationEntry;
  /** The key of the callback's path item: a runtime expression, or a string with some in braces. */
  expression: string;
}

/**
 * Returns the operations under `webhooks`. Their ids are the names of the webhooks; an operation of a webhook with
 * several methods has the id `POST newBooking`. Their operationIds are ignored, because types do not have them.
 */
export function webhooksOf(document: OpenApiDocument): OperationEntry[] {
  return Object.entries((document.webhooks ?? {}) as Items).flatMap(([name, item]) => named(document, name, item));
}

/**
 * Returns the operations of all callbacks. The id of one is that of its callback, as for webhooks. In a callback with
 * several expressions, the name is followed by a space and the expression.
 */
export function callbacksOf(document: OpenApiDocument): CallbackEntry[] {
  return operationsOf(document).flatMap((parent) =>
    Object.entries(parent.operation.callbacks ?? {}).flatMap(([name, reference]) => {
      const items = Object.entries(resolve<Callback>(document, reference)).filter(([key]) => !key.startsWith("x-"));
      return items.flatMap(([expression, item]) => {
        const own = items.length === 1 ? name : `${name} ${expression}`;
        return named(document, own, item).map((entry) => ({ ...entry, parent, expression }));
      });
    }),
  );
}

type Items = Record<string, Record<string, unknown> | Reference>;

function named(document: OpenApiDocument, name: string, item: Items[string]): OperationEntry[] {
  const entries = operationsOfItem(document, name, item);
  return entries.map((entry) => ({
    ...entry,
    id: entries.length === 1 ? name : `${entry.method.toUpperCase()} ${name}`,
  }));
}
