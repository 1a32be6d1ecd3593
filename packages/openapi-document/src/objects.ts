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
  /** The operationId. Without one, or with an empty one, the method in upper case, a space and the path: `GET /pets/{petId}`. */
  id: string;
  /** Lower case. */
  method: string;
  /** The name of the method in `additionalOperations` (OpenAPI 3.2), as it is sent. */
  additional?: string;
  /** The path template, such as `/pets/{petId}`. */
  path: string;
  operation: OperationObject;
  /**
   * The parameters of the operation and those of its path item that it does not override. References are resolved.
   * Headers whose declaration OpenAPI ignores are left out: `Accept`, `Content-Type` and `Authorization`.
   */
  parameters: ParameterObject[];
}

/** https://spec.openapis.org/oas/v3.1.1#operation-object, with the extensions that announce its deprecation and its stability. */
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
  "x-stability-level"?: string;
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
  bearerFormat?: string;
  in?: string;
  name?: string;
}

/** https://spec.openapis.org/oas/v3.1.1#reference-object */
export interface Reference {
  $ref: string;
}
