import {
  type OpenApiDocument,
  type OperationEntry,
  type OperationObject,
  type ParameterObject,
  type RequestBodyObject,
  resolve,
  compilerOf,
  isBodyRequired,
} from "openapi-document";
import { brokenOperationFinder } from "../validation/broken-operations.ts";
import { extensionsOf } from "../formats.ts";
import { excerpt } from "./excerpt.ts";
import { rewriteRequestSchemas } from "./request-schemas.ts";
import { type CompiledSchemas, compileRequestSchemas } from "./eov.ts";

/** The compiled schemas of an operation's requests, by declared media type. */
export type Validators = Map<string | undefined, CompiledSchemas>;

/**
 * Compiles the schemas of one operation's requests with express-openapi-validator (EOV), in a document that holds only
 * this operation. Throws if a schema is invalid.
 */
export function buildValidators(document: OpenApiDocument, entry: OperationEntry): Validators {
  const error = brokenOperationFinder(document)(entry); // names the place, which the errors of ajv do not
  if (error !== undefined) throw error;
  const requestBody = resolve<RequestBodyObject | undefined>(document, entry.operation.requestBody);
  const mediaTypes = Object.keys(requestBody?.content ?? {});
  const part = excerpt(document, entry.method, requestSide(entry, requestBody));
  rewriteRequestSchemas(part.document, part.operation);
  const same = alike(part.document, part.operation, mediaTypes);
  const distinct = same.map(([first]) => first);
  const sent = isBodyRequired(entry, requestBody) ? distinct : [undefined, ...distinct];
  const validators = compileRequestSchemas(
    part.document,
    part.at,
    entry.method,
    sent,
    compilerOf(document),
    extensionsOf(document),
  );
  for (const [first, ...others] of same) for (const other of others) validators.set(other, validators.get(first)!);
  return validators;
}

/** Groups media types by their schema, because a document may list hundreds of them with one schema. */
function alike(document: OpenApiDocument, { requestBody }: OperationObject, mediaTypes: string[]): string[][] {
  const body = resolve<RequestBodyObject | undefined>(document, requestBody);
  return [...Map.groupBy(mediaTypes, (mediaType) => JSON.stringify(body?.content?.[mediaType])).values()];
}

function requestSide(entry: OperationEntry, requestBody: RequestBodyObject | undefined): OperationObject {
  const { callbacks: _, requestBody: __, ...operation } = entry.operation;
  return {
    ...operation,
    parameters: entry.parameters.map(({ style: ___, explode: ____, ...parameter }): ParameterObject => {
      return parameter.in === "querystring" ? { ...parameter, in: "query" } : parameter;
    }),
    ...(requestBody && { requestBody: { ...requestBody, required: isBodyRequired(entry, requestBody) } }),
    responses: {},
  };
}
