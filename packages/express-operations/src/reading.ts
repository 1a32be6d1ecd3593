/** Reads an OpenAPI document: operations, references and schemas. */
export { exampleValue } from "./conformance/example-value.ts";
export { parsedExample } from "./conformance/given-values.ts";
export { HOLDS_VALUES, IS_MAP, isAnnotation } from "./document/keywords.ts";
export { hasKnownFormat } from "./conformance/scalar-values.ts";
export { boundsOf, effectiveSchema, propertiesOf } from "./document/effective-schema.ts";
export {
  type ExampleObject,
  type HeaderObject,
  type MediaTypeObject,
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
export { readableDocument } from "./document/openapi-3-2.ts";
export { compilePattern } from "./document/pattern.ts";
export { negotiatedType } from "./request/accept.ts";
export { isSequential } from "./response/item-format.ts";
export { normalizePath } from "./request/path-router.ts";
