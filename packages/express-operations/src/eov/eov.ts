import { RequestValidator } from "express-openapi-validator/dist/middlewares/openapi.request.validator.js";
import { ResponseValidator } from "express-openapi-validator/dist/middlewares/openapi.response.validator.js";
import { ContentType } from "express-openapi-validator/dist/middlewares/util.js";
import { SchemaPreprocessor } from "express-openapi-validator/dist/middlewares/parsers/schema.preprocessor.js";
import { OpenApiValidator } from "express-openapi-validator/dist/openapi.validator.js";
import {
  type CompilePattern,
  compilePattern,
  isMultipleOf,
  type OpenApiDocument,
  type OperationObject,
  type Schema,
  unescapeKey,
} from "openapi-document";
import type { Extensions } from "../formats.ts";
import { separateEvaluations } from "./excerpt.ts";
import { BASE64, isDateTime, UUID } from "./value-checks.ts";

/**
 * The release of express-openapi-validator (EOV) that this file was written for. This file alone imports EOV. It relies
 * on these internals, which EOV does not document:
 *
 * - `OpenApiValidator` completes the options. Its `installMiddleware` would load a document by `SchemaPreprocessor`, as here, and
 *   returns middlewares that find the operation again for each request. Its public `middleware()` would also compile the schema
 *   of OpenAPI for each document. That is four fifths of the whole cost, for a document that is already bundled.
 * - `RequestValidator.buildMiddleware` compiles the schemas of a content type. Its private `ajv` and `ajvBody` hold them
 *   under the key that it is given. Requests are validated by these schemas alone, because EOV's reading of parameters and
 *   forms differs from OpenAPI's, and because its errors are English text.
 * - `ajvOpts.baseOptions` returns the options of ajv. With `strictTuples`, ajv rejects a valid schema: a tuple that
 *   ends with `unevaluatedItems`. Without `ownProperties`, it takes `constructor` for a field of every object. ajv prints
 *   warnings to `logger`. `code.regExp` compiles patterns, because ajv itself compiles them with the flag `u` alone.
 *   Without `code.optimize`, large schemas compile in less than half the time, and validate as fast.
 * - `ResponseValidator.buildValidators` compiles the schemas of responses with its private `ajvBody`. `_validate` throws an error
 *   with the `errors` of a body. Its public `validate` would wrap `response.json`.
 */
export const EOV_READ = "5.6.2";

/** Returns the faults of a response body: path (`/response/…`) and message of each. */
type ResponseEov = (status: number, body: object) => { path: string; message: string }[];

/** A request as the schemas of EOV describe it. Names of headers are lower case. */
export interface RequestData {
  query: Record<string, unknown>;
  params: Record<string, unknown>;
  headers: Record<string, unknown>;
  cookies: Record<string, unknown>;
  body: unknown;
}

/** Compiled schemas of requests. Each validates its part of a request and fills in defaults. */
export interface CompiledSchemas {
  parameters: CompiledSchema;
  body: CompiledSchema;
}

/** A schema as ajv compiles it. `errors` holds the errors of the last invalid data. */
export type CompiledSchema = ((data: RequestData) => boolean) & {
  errors?: AjvError[] | null;
  /** The schema of all locations. */
  schema: Schema;
  /** The document in which the references of the schema are resolved. */
  document?: OpenApiDocument;
  /** The keywords whose messages are the application's own. */
  keywords?: ReadonlySet<string> | undefined;
};

interface AjvError {
  keyword: string;
  instancePath: string;
  params: Record<string, unknown>;
  message?: string;
  parentSchema?: Schema | boolean;
  data?: unknown;
  propertyName?: string;
}

/** Schemas and the document in which their references are resolved. */
interface SchemaContext {
  document: OpenApiDocument;
  /** The schema of all locations. */
  schema: Schema;
}

/** A fault of a request: the JSON Schema keyword that a value violates. */
export interface Fault {
  keyword: string;
  location: "query" | "params" | "headers" | "cookies" | "body";
  /** The path from the location to the value. */
  path: string[];
  /** The parameters of the keyword, as in ajv's errors. */
  params: Record<string, unknown>;
  /** The schema that holds the keyword. `value` is the invalid value. */
  schema: Schema;
  value: unknown;
  /** The name of a field, if the name itself is invalid. */
  fieldName?: string;
  /** The message of a keyword or a format of the application, in place of ours. */
  message?: string | undefined;
  context?: SchemaContext;
}

/**
 * Compiles the request schemas of the only operation of a document, for these content types. Its path has no parameters.
 * Throws if a schema is invalid.
 */
export function compileRequestSchemas(
  document: OpenApiDocument,
  path: string,
  method: string,
  contentTypes: (string | undefined)[],
  compile?: CompilePattern,
  extensions?: Extensions,
  findsAll = false,
): Map<string | undefined, CompiledSchemas> {
  const { ajvOpts } = load(document, { validateRequests: true, validateResponses: false, compile, extensions });
  const requests = new RequestValidator(document as never, { ...ajvOpts.request, verbose: true, allErrors: findsAll });
  const { ajv, ajvBody, buildMiddleware } = requests as unknown as PrivateRequestValidator;
  ajv.opts.coerceTypes = false; // values are typed before validation
  for (const instance of new Set([ajv, ajvBody])) {
    extend(instance, extensions);
    if (findsAll) instance.addKeyword(COUNTED);
  }
  const keywords = extensions && new Set(extensions.keywords.flatMap(({ keyword }) => keyword));
  const compiled = new Map<string | undefined, CompiledSchemas>();
  for (const contentType of contentTypes) {
    const key = contentType ?? "";
    const type = ContentType.from({ headers: { "content-type": contentType } } as never);
    buildMiddleware.call(requests, path, operationAt(document, path, method), type, key);
    const parameters = Object.assign(ajv.getSchema(key), { document, keywords });
    const body = Object.assign(ajvBody.getSchema(key), { document, keywords });
    compiled.set(contentType, { parameters, body });
  }
  return compiled;
}

/** The private parts of `RequestValidator`. `buildMiddleware` compiles the schemas of a content type under a key. */
interface PrivateRequestValidator {
  ajv: Ajv & { opts: { coerceTypes: boolean } };
  ajvBody: Ajv;
  buildMiddleware: (path: string, operation: unknown, contentType: ContentType, key: string) => unknown;
}

/** The private parts of `ResponseValidator`. `buildValidators` compiles the schemas of responses. */
interface PrivateResponseValidator {
  ajvBody: Ajv;
  buildValidators: (responses: unknown, key: string) => Parameters<ResponseValidator["_validate"]>[0]["validators"];
}

interface Ajv {
  removeKeyword: (keyword: string) => Ajv;
  addKeyword: (definition: object) => Ajv;
  getSchema: (key: string) => CompiledSchema;
}

/** Compiles the response schemas of the only operation of a document. Throws if a schema is invalid. */
export function responseEov(
  document: OpenApiDocument,
  path: string,
  compile?: CompilePattern,
  extensions?: Extensions,
): ResponseEov {
  const { ajvOpts, loaded } = load(document, {
    validateRequests: false,
    validateResponses: true,
    compile,
    extensions,
  });
  const responses = new ResponseValidator(loaded as never, ajvOpts.response);
  const { ajvBody, buildValidators } = responses as unknown as PrivateResponseValidator;
  extend(ajvBody, extensions);
  let validators: ReturnType<typeof buildValidators>;
  try {
    validators = buildValidators.call(responses, operationAt(loaded, path, "get").responses, path);
  } catch (cause) {
    throw new Error(`The response schemas do not compile: ${String(cause)}`, { cause });
  }
  return (statusCode, body) => {
    try {
      responses._validate({ validators, body, statusCode, path, accepts: ["application/json"] });
      return [];
    } catch (error) {
      const { errors } = error as { errors?: ReturnType<ResponseEov> };
      if (errors === undefined) throw error;
      return errors;
    }
  };
}

function operationAt({ paths }: OpenApiDocument, path: string, method: string): OperationObject {
  return (paths as Record<string, Record<string, OperationObject>>)[path]![method]!;
}

/** The keyword of schemas whose validations are counted. */
export const STEP = "x-step";

/** The definition of `STEP` for ajv. */
const COUNTED = {
  keyword: STEP,
  errors: false,
  validate: () => {
    if (--stepsLeft < 0) throw TOO_LONG;
    return true;
  },
};

/** The schemas that a validation which does not stop at the first fault may still apply. */
let stepsLeft = 0;
const TOO_LONG = new Error("There are too many faults to list them all.");

/** Returns the faults of data by schemas that find all. Returns none if more schemas than `steps` are applied. */
export function allFaultsOf(schemas: CompiledSchema[], data: RequestData, steps: number): Fault[] {
  stepsLeft = steps;
  try {
    return schemas.flatMap((schema) => (schema(data) ? [] : faultsOf(schema)));
  } catch (error) {
    if (error === TOO_LONG || error instanceof RangeError) return []; // a deep value may overflow the stack of a large schema
    throw error;
  }
}

/** Adds keywords to an instance of ajv, and makes it compare decimal digits in place of doubles. */
function extend(ajv: Ajv, extensions: Extensions | undefined): void {
  for (const definition of extensions?.keywords ?? []) ajv.addKeyword(definition);
  ajv.removeKeyword("multipleOf").addKeyword({
    keyword: "multipleOf",
    type: "number",
    schemaType: "number",
    compile: (step: number) => (value: number) => isMultipleOf(value, step),
    error: { message: ({ schema }: { schema: number }) => `must be multiple of ${schema}` },
  });
}

/** Formats that were reported as unknown. */
const unknownFormats = new Set<string>();

/** Receives the warnings of ajv, one for each field. Reports each unknown format once. */
const LOGGER = {
  log: () => {},
  error: () => {},
  warn: (message: string) => {
    const [, format] = /^unknown format "(.*)" ignored in schema/.exec(message) ?? [];
    if (format === undefined || unknownFormats.has(format)) return;
    unknownFormats.add(format);
    process.emitWarning(`The format ${JSON.stringify(format)} is unknown, so values are not validated by it.`);
  },
};

/** The options of EOV that differ between requests and responses. */
interface EovOptions {
  validateRequests: boolean;
  validateResponses: boolean;
  compile: CompilePattern | undefined;
  extensions: Extensions | undefined;
}

/** Returns the formats of an application for ajv. A converted `int64` need not be exact as a double, because its text is kept. */
function ownFormats(document: OpenApiDocument, { formats }: Extensions): Record<string, object> {
  const ofNumbers = new Set<unknown>();
  JSON.stringify(document, (_, node: Schema | null) => {
    if (/^(?:number|integer)/.test(String(node?.type))) ofNumbers.add(node!["format"]);
    return node;
  });
  const own: Record<string, object> = {};
  for (const [name, { check, parse }] of Object.entries(formats)) {
    if (check !== undefined) own[name] = { type: ofNumbers.has(name) ? "number" : "string", validate: check };
    else if (name === "int64" && parse !== undefined) own[name] = { type: "number", validate: Number.isInteger };
  }
  return own;
}

/**
 * Loads a document into EOV, in place; `loaded` is that of the responses.
 * Dates stay strings, and must be in the calendar. `int64` accepts only integers that a double holds exactly. `url` is
 * parsed, because its expression in ajv-formats takes quadratic time. The expressions of `date-time`, `byte` and `uuid`
 * accept more than their RFCs: a line feed for the T, any text with an empty line, and a prefix.
 */
function load(document: OpenApiDocument, { compile = compilePattern, extensions, ...options }: EovOptions) {
  separateEvaluations(document);
  const { ajvOpts, options: completed } = new OpenApiValidator({
    apiSpec: document as never,
    validateApiSpec: false,
    validateSecurity: false,
    fileUploader: false,
    ajvFormats: { mode: "full" },
    ...options,
    formats: {
      int64: { type: "number", validate: Number.isSafeInteger },
      url: { type: "string", validate: isUrl },
      "date-time": { type: "string", validate: isDateTime },
      byte: { type: "string", validate: BASE64 },
      uuid: { type: "string", validate: UUID },
      ...(extensions && ownFormats(document, extensions)),
    },
    serDes: ["date-time", "date", ...Object.keys(extensions?.formats ?? {})].map((format) => ({ format })), // known to ajv
  });
  const ajvOptions = ajvOpts as unknown as { baseOptions: () => object };
  const baseOptions = ajvOptions.baseOptions.bind(ajvOptions);
  const regExp = Object.assign((source: string) => compile(source), { code: "new RegExp" }); // ajv reads `code` only to print a schema
  const ownProperties = INHERITED.test(JSON.stringify(document));
  ajvOptions.baseOptions = () => {
    return { ...baseOptions(), strictTuples: false, ownProperties, code: { regExp, optimize: false }, logger: LOGGER };
  };
  const { validateResponses } = completed as { validateResponses: object };
  const preprocessor = new SchemaPreprocessor(document as never, ajvOpts.preprocessor, validateResponses);
  return { ajvOpts, loaded: preprocessor.preProcess().apiDocRes as OpenApiDocument };
}

/**
 * Matches a document that names a property which all objects inherit, such as `constructor`. Only for such a document
 * does ajv check that properties are own ones, because the check takes time.
 */
const INHERITED = new RegExp(`"(?:${Object.getOwnPropertyNames(Object.prototype).join("|")})"`);

/** Returns whether a text is an http, https or ftp URL. Its time is linear in the length. */
function isUrl(text: string): boolean {
  return /^(?:https?|ftp):\/\/[^\s\\/\p{Cc}][^\s\\\p{Cc}]*$/iu.test(text) && URL.canParse(text);
}

/** Returns the faults that the last validation found. */
export function faultsOf({ errors, schema, document, keywords }: CompiledSchema): Fault[] {
  const context = document && { document, schema };
  const faults = (errors ?? []).map((error) => faultOf(error, context));
  if (keywords === undefined) return faults;
  return faults.map((fault, at) => (keywords.has(fault.keyword) ? { ...fault, message: errors![at]!.message } : fault));
}

function faultOf(error: AjvError, context: SchemaContext | undefined): Fault {
  const { keyword, instancePath, params, parentSchema, data, propertyName } = error;
  const name = params["missingProperty"] ?? params["additionalProperty"] ?? params["unevaluatedProperty"];
  const [location = "body", ...path] = instancePath.split("/").slice(1).map(unescapeKey);
  return {
    keyword,
    location: location as Fault["location"],
    path: typeof name === "string" && instancePath !== "" ? [...path, name] : path,
    params,
    schema: typeof parentSchema === "object" ? parentSchema : {}, // `false` allows no value
    value: data,
    ...(propertyName !== undefined && { fieldName: propertyName }),
    ...(context && { context }),
  };
}
