import { Readable } from "node:stream";
import { RequestValidator } from "express-openapi-validator/dist/middlewares/openapi.request.validator.js";
import { ContentType } from "express-openapi-validator/dist/middlewares/util.js";
import { OpenApiValidator } from "express-openapi-validator/dist/openapi.validator.js";
import { type OpenApiDocument, type Schema, unescapeKey } from "./document/document.ts";
import { compilePattern } from "./document/pattern.ts";
import type { Subject, UploadedFile } from "./request/subject.ts";

/**
 * The release of express-openapi-validator (EOV) that this file was written for. This file alone imports EOV. It relies
 * on these internals, which EOV does not document:
 *
 * - `OpenApiValidator.installMiddleware` takes a loaded document. `middleware()` would load the document itself and
 *   compile the schema of OpenAPI for each one. That is four fifths of the whole cost, for a document that is already
 *   bundled.
 * - `installMiddleware` returns middlewares that are found by their names and read their input from `request.openapi`.
 *   EOV's own sequence runs all of them, and routes again, for each request.
 * - `RequestValidator.validate` validates one request and throws. Its private `ajv` and `ajvBody` hold compiled schemas
 *   under method, path and content type, so that plain requests bypass EOV. They report errors by `errorsText`, so that
 *   messages are made of facts and not of English text.
 * - `ajvOpts.baseOptions` returns the options of ajv. With `strictTuples`, ajv rejects a valid schema: a tuple that
 *   ends with `unevaluatedItems`. `code.regExp` compiles patterns, because ajv itself compiles them with the flag `u`
 *   alone.
 * - `responseMiddleware` replaces `response.json` and passes errors to the `next` of its own call.
 * - `multipartMiddleware` reads a stream with multer and sets `body` and `files` on it.
 * - Three validation errors are identified by their text alone: see `ownFaultOf`.
 */
export const EOV_READ = "5.6.2";

/** A middleware of EOV. */
type Middleware = (request: unknown, response: unknown, next: (error?: unknown) => void) => unknown;

/** Validates the requests of one operation. */
export interface RequestEov {
  /** Returns the faults of a request. Coerces a valid request in place. Throws if the schemas are invalid. */
  validate: (subject: Subject) => Fault[];
  /** The compiled schemas, by content type. */
  compiled: Map<string | undefined, CompiledSchemas | undefined>;
  /** Parses the bytes of a multipart body into fields and files. Rejects if they are malformed. */
  readMultipart: (subject: Subject) => Promise<{ body: object; files: UploadedFile[] }>;
}

/** Resolves to the faults of a response body: path (`/response/…`) and message of each. */
export type ResponseEov = (status: number, body: object) => Promise<{ path: string; message: string }[]>;

/** Compiled schemas. Each validates `{ query, params, headers, body }`, coerces it and fills in defaults. */
export interface CompiledSchemas {
  parameters: CompiledSchema;
  body: CompiledSchema;
}

/** A schema as ajv compiles it. `errors` holds the errors of the last invalid data. */
type CompiledSchema = ((data: object) => boolean) & { errors?: AjvError[] | null };

interface AjvError {
  keyword: string;
  instancePath: string;
  params: Record<string, unknown>;
  parentSchema?: Schema;
  data?: unknown;
  propertyName?: string;
}

/**
 * A fault of a request: the JSON Schema keyword that a value violates. EOV's own validation errors have the keywords
 * `emptyValue`, `reservedCharacter` and `discriminator`.
 */
export interface Fault {
  keyword: string;
  location: "query" | "params" | "headers" | "body";
  /** The path from the location to the value. */
  path: string[];
  /** The parameters of the keyword, as in ajv's errors. */
  params: Record<string, unknown>;
  /** The schema that holds the keyword. `value` is the invalid value. */
  schema: Schema;
  value: unknown;
  /** The name of a field, if the name itself is invalid. */
  fieldName?: string;
}

/**
 * Builds EOV for the requests of the only operation of a document. Its path has no parameters. The schemas are compiled
 * for these content types. Rejects if the schemas are invalid.
 */
export async function requestEov(
  document: OpenApiDocument,
  path: string,
  method: string,
  contentTypes: (string | undefined)[],
): Promise<RequestEov> {
  const isMultipart = contentTypes.some((type) => type?.startsWith("multipart/"));
  const options = { validateRequests: true, validateResponses: false, fileUploader: isMultipart && {} };
  const { validator, metadata, step } = await bind(document, path, method, options);
  const requests = new RequestValidator(document as never, { ...validator.ajvOpts.request, verbose: true });
  const { validate, compiledFor } = bindValidate(requests, path, method);
  const validateSubject = (subject: Subject): Fault[] => {
    subject.openapi = { ...metadata, pathParams: subject.params };
    return validate(subject);
  };
  // EOV compiles at the first request, valid or not.
  for (const type of contentTypes) validateSubject(probeOf(method, type));
  return {
    validate: validateSubject,
    compiled: new Map(contentTypes.map((type) => [type, compiledFor(type)])),
    readMultipart: (subject) => readMultipart(step("multipartMiddleware"), { ...subject, openapi: metadata }),
  };
}

/** Builds EOV for the responses of the only operation of a document. Rejects if the schemas are invalid. */
export async function responseEov(document: OpenApiDocument, path: string): Promise<ResponseEov> {
  const { metadata, step } = await bind(document, path, "get", {
    validateRequests: false,
    validateResponses: true,
    fileUploader: false,
  });
  const validate = step("responseMiddleware");
  await validateResponse(validate, metadata, 200, {}); // compiles all schemas
  return (status, body) => validateResponse(validate, metadata, status, body);
}

/** The options of EOV that differ between requests and responses. */
interface EovOptions {
  validateRequests: boolean;
  validateResponses: boolean;
  fileUploader: object | false;
}

/**
 * Loads a document into EOV and finds its only operation. EOV's middlewares expect `metadata` as `request.openapi`.
 * Dates stay strings. `int64` accepts only integers that a double holds exactly. `url` is parsed, because its
 * expression in ajv-formats takes quadratic time.
 */
async function bind(document: OpenApiDocument, path: string, method: string, options: EovOptions) {
  const spec = { apiDoc: document as never, basePaths: [""], routes: [routeOf(path, method)], serial: 0 };
  const validator = new OpenApiValidator({
    apiSpec: document as never,
    validateApiSpec: false,
    validateSecurity: false,
    ...options,
    formats: { int64: { type: "number", validate: Number.isSafeInteger }, url: { type: "string", validate: isUrl } },
    serDes: [{ format: "date-time" }, { format: "date" }],
  });
  const ajvOptions = validator.ajvOpts as unknown as { baseOptions: () => object };
  const baseOptions = ajvOptions.baseOptions.bind(ajvOptions);
  const regExp = Object.assign(compilePattern, { code: "new RegExp" }); // ajv reads `code` only to print a schema
  ajvOptions.baseOptions = () => ({ ...baseOptions(), strictTuples: false, code: { regExp } });
  const middlewares = validator.installMiddleware(Promise.resolve(spec)) as Middleware[];
  const step = (name: string): Middleware => {
    const named = middlewares.find((middleware) => middleware.name === name);
    if (named === undefined) throw new Error(`This release of express-openapi-validator has no ${name}.`);
    return named;
  };
  const app = { enabled: () => false, param: () => {} };
  const probe = { method: method.toUpperCase(), originalUrl: path, url: path, path, baseUrl: "", app, openapi: {} };
  await run(step("pathParamsMiddleware"), probe);
  await run(step("metadataMiddleware"), probe);
  return { validator, metadata: probe.openapi, step };
}

function probeOf(method: string, contentType: string | undefined): Subject {
  const headers = { "content-type": contentType };
  return { method: method.toUpperCase(), originalUrl: "/", path: "/", headers, params: {}, query: {}, body: {} };
}

/** Returns whether a text is an http, https or ftp URL. Its time is linear in the length. */
function isUrl(text: string): boolean {
  return /^(?:https?|ftp):\/\/[^\s\\/\p{Cc}][^\s\\\p{Cc}]*$/iu.test(text) && URL.canParse(text);
}

function bindValidate(validator: RequestValidator, path: string, method: string) {
  // EOV keeps compiled schemas in two private instances of ajv, under the key that `compiledFor` builds.
  const { ajv, ajvBody } = validator as unknown as Record<"ajv" | "ajvBody", Ajv>;
  const compiledFor = (contentType: string | undefined) => {
    const key = `${method.toUpperCase()}-${path}-${ContentType.fromString(contentType as string).normalize() ?? "not_provided"}`;
    const [parameters, body] = [ajv.getSchema(key), ajvBody.getSchema(key)];
    return parameters && body ? ({ parameters, body } as CompiledSchemas) : undefined;
  };
  // EOV calls `errorsText` just before it throws. The error that it throws has only the English text.
  let reported: AjvError[] | undefined;
  ajv.errorsText = (errors) => {
    reported = errors;
    return "";
  };
  const takeReported = () => {
    const errors = reported;
    reported = undefined;
    return errors;
  };
  const validate = (request: object): Fault[] => {
    try {
      void validator.validate(request as never, {} as never, () => {});
      return [];
    } catch (error) {
      if (!isValidationError(error)) throw error;
      const errors = takeReported();
      if (errors === undefined) return [ownFaultOf(error, request as Record<string, Record<string, unknown>>)];
      const compiled = compiledFor((request as { headers: Record<string, string> }).headers["content-type"]);
      const whole = new Set([...(compiled?.parameters.errors ?? []), ...(compiled?.body.errors ?? [])]);
      // Where a discriminator chooses the schema, EOV validates the body alone.
      return errors.map((ajvError) =>
        faultOf(whole.has(ajvError) ? ajvError : { ...ajvError, instancePath: `/body${ajvError.instancePath}` }),
      );
    }
  };
  return { validate, compiledFor };
}

interface Ajv {
  getSchema: (key: string) => unknown;
  errorsText: (errors: AjvError[]) => string;
}

/** Returns whether EOV rejected the request. Errors without a 4xx status are bugs or invalid schemas. */
function isValidationError(error: unknown): error is Error & { errors?: { path: string; message: string }[] } {
  const status = error instanceof Error && "status" in error ? Number(error.status) : 500;
  return status >= 400 && status <= 499;
}

/** Returns the faults of the last validation, those of the parameters before those of the body. */
export function faultsOf({ parameters, body }: CompiledSchemas): Fault[] {
  return [...(parameters.errors ?? []), ...(body.errors ?? [])].map(faultOf);
}

function faultOf({ keyword, instancePath, params, parentSchema = {}, data, propertyName }: AjvError): Fault {
  const name = params["missingProperty"] ?? params["additionalProperty"] ?? params["unevaluatedProperty"];
  const [location = "body", ...path] = instancePath.split("/").slice(1).map(unescapeKey);
  return {
    keyword,
    location: location as Fault["location"],
    path: typeof name === "string" && instancePath !== "" ? [...path, name] : path,
    params,
    schema: parentSchema,
    value: data,
    ...(propertyName !== undefined && { fieldName: propertyName }),
  };
}

/** Converts an error that EOV reports before its schemas validate. Only the text of the error identifies the fault. */
function ownFaultOf(
  error: { errors?: { path: string; message: string }[] },
  request: Record<string, Record<string, unknown>>,
): Fault {
  const [{ path, message } = { path: "", message: "" }] = error.errors ?? [];
  const name = path.slice("/query/".length);
  const inQuery: Omit<Fault, "keyword"> = {
    location: "query",
    path: [name],
    params: {},
    schema: {},
    value: request["query"]?.[name],
  };
  if (message.startsWith("Empty value found")) return { ...inQuery, keyword: "emptyValue" };
  if (message.includes("must be url encoded")) return { ...inQuery, keyword: "reservedCharacter" };
  const [, field = "", values = ""] =
    /^'(.+?)' must be equal to one of the allowed values: (.*)\.$/s.exec(message) ?? [];
  const allowedValues = values.split(", ");
  return {
    keyword: "discriminator",
    location: "body",
    path: [field],
    params: { allowedValues },
    schema: {},
    value: request["body"]?.[field],
  };
}

/** A file as multer describes it. */
interface MulterFile {
  fieldname: string;
  originalname: string;
  mimetype: string;
  buffer: Buffer;
}

async function readMultipart(parse: Middleware, subject: Subject) {
  const bytes = subject.body as Buffer | undefined;
  const stream = Object.assign(Readable.from(bytes === undefined ? [] : [bytes]), {
    ...subject,
    body: {},
    files: [] as MulterFile[],
  });
  await run(parse, stream);
  const files = stream.files.map((file) => {
    return { field: file.fieldname, name: file.originalname, contentType: file.mimetype, bytes: file.buffer };
  });
  return { body: stream.body, files };
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
