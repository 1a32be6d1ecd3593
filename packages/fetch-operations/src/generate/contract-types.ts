import {
  astToString,
  type GlobalContext,
  resolveRef,
  scanDiscriminators,
  stringToAST,
  transformSchema,
} from "openapi-typescript";
import { type OpenApiDocument, operationsOf, type Schema } from "openapi-document";
import { compilableTypes } from "openapi-document/openapi-typescript";
import type { ValueTypes } from "../contract/shapes.ts";
import { convertedType, describedValues } from "./described-values.ts";
import { placeInTypes } from "./operation-types.ts";
import { tupleWriter } from "./tuple-types.ts";

/** Returns the types of a document in one file, as openapi-typescript writes them. Files are `Blob`. */
export function typesOf(document: object, { int64, dates }: ValueTypes = {}): string {
  const writeTuple = tupleWriter();
  const typeOf = (text: string) => (stringToAST(`type T = ${text}`)[0] as { type: never }).type;
  const copy = describedValues(document, { int64, dates });
  // openapi-typescript knows the methods of OpenAPI 3.1 only.
  for (const { method, operation, parameters, additional, ...entry } of operationsOf(copy)) {
    const place = placeInTypes(additional ?? method.toUpperCase(), entry.path);
    if (place.path !== entry.path)
      Object.assign(copy.paths!, { [place.path]: { [place.method]: { ...operation, parameters } } });
  }
  // openapi-typescript takes these for references. Without an operationId, it writes the operation in its path.
  for (const { id, operation } of operationsOf(copy)) if (/%|#\//.test(id)) delete operation.operationId;
  const context: Partial<GlobalContext> = {
    discriminators: scanDiscriminators(copy as never, { silent: true }),
    injectFooter: [],
    resolve: ($ref) => resolveRef(copy, $ref, { silent: true }),
    transform: (schema, options) => {
      const converted = convertedType(schema as Schema, { int64, dates });
      return converted === undefined ? writeTuple(schema, options) : typeOf(converted);
    },
  };
  const nodes = transformSchema(copy as never, context as GlobalContext);
  return compilableTypes(astToString(nodes), document as OpenApiDocument);
}
