import { RequestValidator } from "express-openapi-validator/dist/middlewares/openapi.request.validator.js";
import { ResponseValidator } from "express-openapi-validator/dist/middlewares/openapi.response.validator.js";
import { ContentType } from "express-openapi-validator/dist/middlewares/util.js";
import { OpenApiValidator } from "express-openapi-validator/dist/openapi.validator.js";
import { type OpenApiDocument, type Schema, unescapeKey, type CompilePattern, compilePattern } from "openapi-document";
import { separateEvaluations } from "./excerpt.ts";
import { BASE64, isDateTime, isMultipleOf, UUID } from "./value-checks.ts";

/**
 * The release of express-openapi-validator (EOV) that this file was written for. This file alone imports EOV. It relies
 * on these internals, which EOV does not document:
 *
 * - `OpenApiValidator.installMiddleware` takes a loaded document. `middleware()` would load the document itself and
 *   compile the schema of OpenAPI for each one. That is four fifths of the whole cost, for a document that is already
 *   bundled.
 * - `installMiddleware` returns middlewares that are found by their names and read their input from `request.openapi`.
 *   EOV's own sequence runs all of them, and routes again, for each request.
 * - `RequestValidator.buildMiddleware` compiles the schemas of a content type. Its private `ajv` and `ajvBody` hold them
 *   under the key that it is given. Requests are validated by these schemas alone, because EOV's reading of parameters and
 *   forms differs from OpenAPI's, and because its errors are English text.
 * - `ajvOpts.baseOptions` returns the options of ajv. With `strictTuples`, ajv rejects a valid schema: a tuple that
 *   ends with `unevaluatedItems`. Without `ownProperties`, it takes `constructor` for a field of every object. ajv prints
 *   warnings to `logger`. `code.regExp` compiles patterns, because ajv itself compiles them with the flag `u` alone.
 *   Without `code.optimize`, large schemas compile in less than half the time, and validate as fast.
 * - `responseMiddleware` replaces `response.json` and passes errors to the `next` of its own call. It gets its
 *   `ResponseValidator` from the method `responseValidationMiddleware`. The private `ajvBody` compiles the schemas.
 */
export const EOV_READ = "5.6.2";

/** A middleware of EOV. */
type Middleware = (request: unknown, response: unknown, next: (error?: unknown) => void) => unknown;

/** Resolves to the faults of a response body: path (`/response/…`) and message of each. */
type ResponseEov = (status: number, body: object) => Promise<{ path: string; message: string }[]>;

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
};

interface AjvError {
  keyword: string;
  instancePath: string;
  params: Record<string, unknown>;
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
  context?: SchemaContext;
}

/**
 * Compiles the request schemas of the only operation of a document, for these content types. Its path has no parameters.
 * Rejects if a schema is invalid.
 */
export async function compileRequestSchemas(
  document: OpenApiDocument,
  path: string,
  method: string,
  contentTypes: (string | undefined)[],
  compile?: CompilePattern,
): Promise<Map<string | undefined, CompiledSchemas>> {
  const options = { validateRequests: true, validateResponses: false, compile };
  const { validator, metadata } = await bind(document, path, method, options);
  const requests = new RequestValidator(document as never, { ...validator.ajvOpts.request, verbose: true });
  const { ajv, ajvBody, buildMiddleware } = requests as unknown as PrivateValidator;
  ajv.opts.coerceTypes = false; // values are typed before validation
  for (const instance of new Set([ajv, ajvBody])) replaceMultipleOf(instance);
  const compiled = new Map<string | undefined, CompiledSchemas>();
  for (const contentType of contentTypes) {
    const key = contentType ?? "";
    const type = ContentType.from({ headers: { "content-type": contentType } } as never);
    buildMiddleware.call(requests, path, metadata["schema"], type, key);
    const parameters = Object.assign(ajv.getSchema(key), { document });
    const body = Object.assign(ajvBody.getSchema(key), { document });
    compiled.set(contentType, { parameters, body });
  }
  return compiled;
}

/** The private parts of `RequestValidator`. `buildMiddleware` compiles the schemas of a content type under a key. */
interface PrivateValidator {
  ajv: Ajv & { opts: { coerceTypes: boolean } };
  ajvBody: Ajv;
  buildMiddleware: (path: string, operation: unknown, contentType: ContentType, key: string) => unknown;
}

interface Ajv {
  removeKeyword: (keyword: string) => Ajv;
  addKeyword: (definition: object) => Ajv;
  getSchema: (key: string) => CompiledSchema;
}

/** Builds EOV for the responses of the only operation of a document. Rejects if the schemas are invalid. */
export async function responseEov(
  document: OpenApiDocument,
  path: string,
  compile?: CompilePattern,
): Promise<ResponseEov> {
  const { metadata, step } = await bind(document, path, "get", {
    validateRequests: false,
    validateResponses: true,
    compile,
  });
  const validate = step("responseMiddleware");
  await validateResponse(validate, metadata, 200, {}); // compiles all schemas
  return (status, body) => validateResponse(validate, metadata, status, body);
}

/** Makes an instance of ajv compare decimal digits in place of doubles. */
function replaceMultipleOf(ajv: Ajv): void {
  ajv.removeKeyword("multipleOf").addKeyword({
    keyword: "multipleOf",
    type: "number",
    schemaType: "number",
    compile: (step: number) => (value: number) => isMultipleOf(value, step),
    error: { message: ({ schema }: { schema: number }) => `must be multiple of ${schema}` },
  });
}

/** Returns the middleware that EOV makes for responses, with our `multipleOf`. */
function responseValidation(validator: OpenApiValidator, document: unknown, serial: number): unknown {
  const { ajvOpts, options } = validator as unknown as { ajvOpts: { response: object }; options: EovOptions };
  const responses = new ResponseValidator(
    document as never,
    ajvOpts.response,
    options.validateResponses as never,
    serial,
  );
  replaceMultipleOf((responses as unknown as { ajvBody: Ajv }).ajvBody);
  return responses.validate();
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
}

/**
 * Loads a document into EOV and finds its only operation. EOV's middlewares expect `metadata` as `request.openapi`.
 * Dates stay strings, and must be in the calendar. `int64` accepts only integers that a double holds exactly. `url` is
 * parsed, because its expression in ajv-formats takes quadratic time. The expressions of `date-time`, `byte` and `uuid`
 * accept more than their RFCs: a line feed for the T, any text with an empty line, and a prefix.
 */
async function bind(
  document: OpenApiDocument,
  path: string,
  method: string,
  { compile = compilePattern, ...options }: EovOptions,
) {
  separateEvaluations(document);
  const spec = { apiDoc: document as never, basePaths: [""], routes: [routeOf(path, method)], serial: 0 };
  const validator = new OpenApiValidator({
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
    },
    serDes: [{ format: "date-time" }, { format: "date" }],
  });
  const ajvOptions = validator.ajvOpts as unknown as { baseOptions: () => object };
  const baseOptions = ajvOptions.baseOptions.bind(ajvOptions);
  const regExp = Object.assign((source: string) => compile(source), { code: "new RegExp" }); // ajv reads `code` only to print a schema
  const ownProperties = INHERITED.test(JSON.stringify(document));
  ajvOptions.baseOptions = () => {
    return { ...baseOptions(), strictTuples: false, ownProperties, code: { regExp, optimize: false }, logger: LOGGER };
  };
  Object.assign(validator, {
    responseValidationMiddleware: (apiDoc: unknown, serial: number) => responseValidation(validator, apiDoc, serial),
  });
  const middlewares = validator.installMiddleware(Promise.resolve(spec)) as Middleware[];
  const step = (name: string): Middleware => {
    const named = middlewares.find((middleware) => middleware.name === name);
    if (named === undefined) throw new Error(`This release of express-openapi-validator has no ${name}.`);
    return named;
  };
  const app = { enabled: () => false, param: () => {} };
  const probe = {
    method: method.toUpperCase(),
    originalUrl: path,
    url: path,
    path,
    baseUrl: "",
    app,
    openapi: {} as Record<string, unknown>,
  };
  await run(step("pathParamsMiddleware"), probe);
  await run(step("metadataMiddleware"), probe);
  return { validator, metadata: probe.openapi, step };
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
export function faultsOf({ errors, schema, document }: CompiledSchema): Fault[] {
  const context = document && { document, schema };
  return (errors ?? []).map((error) => faultOf(error, context));
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

/** EOV wraps `response.json` and passes validation errors to the `next` of the wrapping call. */
async function validateResponse(
  middleware: Middleware,
  metadata: object,
  status: number,
  body: object,
): Promise<{ path: string; message: string }[]> {
  let reportedError: unknown;
  const request = { method: "GET", originalUrl: "/", headers: {}, openapi: metadata };
  const response = {
    statusCode: status,
    getHeaders: () => ({ "content-type": "application/json" }),
    json: (_body: object) => {},
  };
  await new Promise<void>((wrapped) => {
    const next = (error?: unknown) => {
      reportedError ??= error;
      wrapped();
    };
    void middleware(request, response, next);
  });
  response.json(body);
  const { errors } = (reportedError ?? { errors: [] }) as { errors?: { path: string; message: string }[] };
  if (errors === undefined)
    throw new Error(`The response schemas do not compile: ${String(reportedError)}`, { cause: reportedError });
  return errors;
}

/** Returns a route without parameters in the form of EOV's router. */
function routeOf(path: string, method: string) {
  return { basePath: "", expressRoute: path, openApiRoute: path, method: method.toUpperCase(), pathParams: [] };
}

/** Runs one middleware until it calls `next`. Rejects with the error passed to `next`. */
function run(middleware: Middleware, request: unknown, response: unknown = {}): Promise<void> {
  return new Promise((done, failed) => {
    const next = (error?: unknown) => (error === undefined ? done() : failed(error));
    void Promise.resolve(middleware(request, response, next)).catch(failed);
  });
}
