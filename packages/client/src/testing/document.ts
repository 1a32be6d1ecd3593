/** A contract, as far as the testing kit reads it: https://spec.openapis.org/oas/v3.1.1.html */
export interface ContractDocument {
  servers: { url: string; description?: string }[];
  paths: Record<string, Record<string, unknown>>;
  components: { schemas?: Record<string, Schema>; [field: string]: unknown };
  [field: string]: unknown;
}

/** What a JSON Schema is made of. */
export type Schema = Record<string, unknown>;

/** Either an object, or a reference to one. */
export type Reference<Target> = Target | { $ref: string };

/** The fields of an Operation Object that say what may be sent and answered. */
export interface OperationObject {
  parameters?: Reference<ParameterObject>[];
  requestBody?: Reference<RequestBodyObject>;
  responses: Record<string, Reference<ResponseObject>>;
  security?: object[];
}

/** A parameter, and how it is sent. */
export interface ParameterObject {
  name: string;
  in: string;
  required?: boolean;
  schema?: Schema;
}

/** A body that is sent. */
export interface RequestBodyObject {
  required?: boolean;
  content: Record<string, MediaTypeObject>;
}

/** An answer of some status. */
export interface ResponseObject {
  headers?: Record<string, Reference<HeaderObject>>;
  content?: Record<string, MediaTypeObject>;
}

/** A header of an answer. */
export interface HeaderObject extends MediaTypeObject {
  required?: boolean;
}

/** Content with its schema, and examples of it. */
export interface MediaTypeObject {
  schema?: Schema;
  examples?: Record<string, Reference<{ value?: unknown }>>;
}
