/** The parts of an OpenAPI 3.0, 3.1 or 3.2 document that this package reads. The validator reads the others. */
export interface OpenApiDocument {
  openapi: string;
  paths?: object;
  webhooks?: object;
  components?: object;
  security?: object[];
}

/** An operation with its path and method. */
export interface OperationEntry {
  /** The operationId. Without one, the method in upper case, a space and the path: `GET /pets/{petId}`. */
  id: string;
  /** Lower case. */
  method: string;
  /** Whether the operation is in `additionalOperations` (OpenAPI 3.2). */
  isAdditional?: true;
  /** The path template, such as `/pets/{petId}`. */
  path: string;
  operation: OperationObject;
  /**
   * The parameters of the operation and those of its path item that it does not override. References are resolved.
   * Headers whose declaration OpenAPI ignores are left out: `Accept`, `Content-Type` and `Authorization`.
   */
  parameters: ParameterObject[];
}

/** https://spec.openapis.org/oas/v3.1.1#operation-object, with the extensions that announce its deprecation. */
export interface OperationObject {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  deprecated?: boolean;
  parameters?: (ParameterObject | Reference)[];
  requestBody?: RequestBodyObject | Reference;
  responses?: Record<string, ResponseObject | Reference>;
  security?: SecurityRequirement[];
  callbacks?: Record<string, Callback | Reference>;
  "x-deprecated-at"?: string;
  "x-sunset"?: string;
  "x-successor"?: string;
  "x-eov-allow-unknown-query-parameters"?: boolean;
  "x-allow-unknown-query-parameters"?: boolean;
}

/** Path items by runtime expression: https://spec.openapis.org/oas/v3.1.1#callback-object */
export type Callback = Record<string, Record<string, unknown> | Reference>;

/** https://spec.openapis.org/oas/v3.1.1#parameter-object */
export interface ParameterObject {
  name: string;
  /** `querystring` is the whole query (OpenAPI 3.2). */
  in: "path" | "query" | "querystring" | "header" | "cookie";
  required?: boolean;
  style?: string;
  explode?: boolean;
  allowEmptyValue?: boolean;
  schema?: Schema;
  content?: Record<string, MediaTypeObject>;
  example?: unknown;
  examples?: Record<string, ExampleObject>;
}

/** https://spec.openapis.org/oas/v3.1.1#request-body-object */
export interface RequestBodyObject {
  required?: boolean;
  content?: Record<string, MediaTypeObject>;
}

/** https://spec.openapis.org/oas/v3.1.1#response-object */
export interface ResponseObject {
  headers?: Record<string, HeaderObject | Reference>;
  content?: Record<string, MediaTypeObject>;
}

/** https://spec.openapis.org/oas/v3.1.1#header-object */
export interface HeaderObject extends MediaTypeObject {
  required?: boolean;
}

/** https://spec.openapis.org/oas/v3.1.1#media-type-object */
export interface MediaTypeObject {
  schema?: Schema;
  /** The schema of each item of a sequential media type (OpenAPI 3.2). */
  itemSchema?: Schema;
  encoding?: Record<string, EncodingObject>;
  example?: unknown;
  examples?: Record<string, ExampleObject>;
}

/** https://spec.openapis.org/oas/v3.1.1#encoding-object */
export interface EncodingObject {
  contentType?: string;
  style?: string;
  explode?: boolean;
}

/** https://spec.openapis.org/oas/v3.1.1#example-object */
export interface ExampleObject {
  value?: unknown;
  /** The value in OpenAPI 3.2. */
  dataValue?: unknown;
}

/** https://spec.openapis.org/oas/v3.1.1#schema-object */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  items?: Schema;
  [keyword: string]: unknown;
}

/** Scheme names with the scopes or roles they need. A request needs every scheme of one requirement. */
export type SecurityRequirement = Record<string, string[]>;

/** https://spec.openapis.org/oas/v3.1.1#security-scheme-object */
export interface SecurityScheme {
  type: string;
  scheme?: string;
  in?: string;
  name?: string;
}

/** https://spec.openapis.org/oas/v3.1.1#reference-object */
export interface Reference {
  $ref: string;
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** Returns every operation under `paths`. Callbacks and webhooks are left out, because other servers implement them. */
export function operationsOf(document: OpenApiDocument): OperationEntry[] {
  const paths = Object.entries(document.paths ?? {}).filter(([path]) => !path.startsWith("x-"));
  return paths.flatMap(([path, item]) => operationsOfItem(document, path, item as PathItem | Reference));
}

type PathItem = Record<string, unknown>;

/** Returns the operations of a path item, or of the target of its `$ref`. */
export function operationsOfItem(
  document: OpenApiDocument,
  path: string,
  reference: PathItem | Reference,
): OperationEntry[] {
  const item = resolve<PathItem>(document, reference);
  return operationsByMethod(document, item).map(({ method, operation, ...more }) => {
    const id = operation.operationId ?? `${method.toUpperCase()} ${path}`;
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
      return { method, operation, isAdditional: true as const };
    }),
  ];
}

/** Returns whether a document is OpenAPI 3.2. */
export function isVersion32({ openapi }: OpenApiDocument): boolean {
  return /^3\.2\.\d/.test(openapi);
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
 * Returns a node itself, or the target of its `$ref` within the document. Throws if the `$ref` is no text, or leads
 * nowhere.
 */
export function resolve<Target>(document: OpenApiDocument, node: Target | Reference): Target {
  let target: unknown = node;
  for (let hops = 0; isReference(target); hops++) {
    if (hops === 32) throw new Error(`The reference ${target.$ref} leads back to itself.`);
    target = pointer(document, target.$ref);
  }
  return target as Target;
}

/** Returns the node at a `#/…` JSON pointer (RFC 6901). `withLocalReferences` makes other references of a document pointers. */
export function pointer(document: OpenApiDocument, ref: string): unknown {
  if (!ref.startsWith("#/")) {
    const fault = ref.startsWith("#")
      ? "leads to no schema, or to several. Refer to one by its path."
      : "leaves the document. Bundle it first: `redocly bundle` does.";
    throw new Error(`The reference ${ref} ${fault}`);
  }
  let node: unknown = document;
  for (const key of pointerKeys(ref)) node = (node as Record<string, unknown> | undefined)?.[key];
  if (node === undefined) throw new Error(`The reference ${ref} points at nothing.`);
  return node;
}

/** Returns the keys of a `#/…` JSON pointer, unescaped. */
export function pointerKeys(ref: string): string[] {
  return ref
    .slice(2)
    .split("/")
    .map((key) => unescapeKey(decodeURIComponent(key)));
}

/** Unescapes a key of a JSON pointer (RFC 6901, section 4). */
export function unescapeKey(key: string): string {
  return key.replaceAll("~1", "/").replaceAll("~0", "~");
}

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

function isReference(node: unknown): node is Reference {
  if (typeof node !== "object" || node === null || (node as Partial<Reference>).$ref === undefined) return false;
  if (typeof (node as Reference).$ref !== "string") throw new Error("The value of $ref must be a string.");
  return true;
}
