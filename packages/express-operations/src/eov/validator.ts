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
import { allFaultsOf, type CompiledSchemas, compileRequestSchemas, type Fault, type RequestData, STEP } from "./eov.ts";

/** The compiled schemas of an operation's requests, by declared media type. */
export type Validators = Map<string | undefined, CompiledSchemas>;

/**
 * Compiles the schemas of one operation's requests with express-openapi-validator (EOV), in a document that holds only
 * this operation. With `findsAll`, validation does not stop at the first fault, and counts the applied schemas. Throws if a schema
 * is invalid.
 */
export function buildValidators(document: OpenApiDocument, entry: OperationEntry, findsAll = false): Validators {
  const error = brokenOperationFinder(document)(entry); // names the place, which the errors of ajv do not
  if (error !== undefined) throw error;
  const requestBody = resolve<RequestBodyObject | undefined>(document, entry.operation.requestBody);
  const mediaTypes = Object.keys(requestBody?.content ?? {});
  const part = excerpt(document, entry.method, requestSide(entry, requestBody));
  const schemas = rewriteRequestSchemas(part.document, part.operation);
  if (findsAll) for (const schema of schemas) schema[STEP] = true;
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
    findsAll,
  );
  for (const [first, ...others] of same) for (const other of others) validators.set(other, validators.get(first)!);
  return validators;
}

/** The most values of a body, and the most schemas applied to a request, that are searched for all faults. */
const MAX_VALUES = 1_000;
const MAX_STEPS = 10_000;

/** Finds the faults of a request whose parameters or body are invalid. */
export type FindFaults = (
  data: RequestData,
  mediaType: string | undefined,
  invalid: (keyof CompiledSchemas)[],
) => Fault[];

/** Returns a function that finds all faults of a request, or none in a request that is too large. Its schemas are compiled at its first call. */
export function faultFinder(document: OpenApiDocument, entry: OperationEntry): FindFaults {
  let validators: Validators | undefined;
  return (data, mediaType, invalid) => {
    if (invalid.includes("body") && valuesIn(data.body, MAX_VALUES) > MAX_VALUES) return [];
    validators ??= buildValidators(document, entry, true);
    const schemas = validators.get(mediaType)!;
    return allFaultsOf(
      invalid.map((part) => schemas[part]),
      data,
      MAX_STEPS,
    );
  };
}

/** Returns the number of values in a value, or a number above `most`. */
function valuesIn(value: unknown, most: number): number {
  if (typeof value !== "object" || value === null || Buffer.isBuffer(value)) return 1;
  let count = 1;
  for (const item of Object.values(value)) {
    count += valuesIn(item, most - count);
    if (count > most) break;
  }
  return count;
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
