/** Reads an OpenAPI document: operations, references and schemas. */
export { exampleValue, parsedExample } from "./conformance/example-value.ts";
export { HOLDS_VALUES, IS_MAP, isAnnotation } from "./document/keywords.ts";
export { boundsOf, effectiveSchema, propertiesOf } from "./document/effective-schema.ts";
export {
  type ExampleObject,
  type HeaderObject,
  type OpenApiDocument,
  type OperationEntry,
  operationsOf,
  pointer,
  requirementsOf,
  resolve,
  type RequestBodyObject,
  type ResponseObject,
  responseKey,
  type Schema,
  unescapeKey,
} from "./document/document.ts";
export { withLocalReferences } from "./document/local-references.ts";
export { compilePattern } from "./document/pattern.ts";
export { normalizePath } from "./request/path-router.ts";
