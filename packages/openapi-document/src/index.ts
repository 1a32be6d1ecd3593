/** Reads OpenAPI documents: their operations, references, schemas, parameters and media types. */
export type {
  Callback,
  EncodingObject,
  ExampleObject,
  HeaderObject,
  MediaTypeObject,
  OpenApiDocument,
  OperationEntry,
  OperationObject,
  ParameterObject,
  Reference,
  RequestBodyObject,
  ResponseObject,
  Schema,
  SecurityRequirement,
  SecurityScheme,
} from "./objects.ts";
export type { InputOf, OutputOf } from "./operation-types.ts";
export {
  apiKeyParameters,
  type CallbackEntry,
  callbacksOf,
  ERROR_KEY,
  isBodyRequired,
  operationsOf,
  requirementsOf,
  responseKey,
  securityScheme,
  webhooksOf,
} from "./operations.ts";
export { escapeKey, pointer, pointerKeys, resolve, unescapeKey } from "./references.ts";
export { ASSERTIONS_BY_TYPE, HOLDS_VALUES, IS_MAP, isAnnotation } from "./keywords.ts";
export { holdsValue, withLocalReferences } from "./local-references.ts";
export { essenceOf, isJson, isJsonSequence, isSequential, isText } from "./media-types.ts";
export { isTypeName, propertyKey, RESERVED_WORDS } from "./names.ts";
export { isVersion32, readableDocument } from "./openapi-3-2.ts";
export { encodeSegment, normalizePath, parameterNames } from "./paths.ts";
export { type CompilePattern, compilePattern, compilerOf, type Pattern, PLAIN, withCompiler } from "./pattern.ts";
export { type Discriminator, nameOf } from "./schema/discriminator.ts";
export { withDirections } from "./schema/directions.ts";
export {
  areArguments,
  boundsOf,
  conjuncts,
  effectiveSchema,
  isReadOnly,
  isRecord,
  listedValuesOf,
  mayBe,
  mergedSchema,
  nonNullTypesOf,
  partsOf,
  propertiesOf,
  requiredOf,
  typeOf,
  typesOf,
  valuesOf,
} from "./schema/effective-schema.ts";
export { hasOnlyJsonData } from "./schema/event-schema.ts";
export { hasWholeEvents, itemSchema, valueSchema } from "./schema/item-schema.ts";
export { isMultipleOf } from "./schema/multiple-of.ts";
export { requireDiscriminator, valuesFor } from "./schema/required-discriminator.ts";
export { HOLDS_SCHEMAS, schemasBelow, schemasInPlace, schemasOfParts, type Subschema } from "./schema/schema-walk.ts";
export { type Declaration, itemAt, type Shape, shapesOf, unnamedField } from "./schema/shape.ts";
