import { Readable } from "node:stream";
import { RequestValidator } from "express-openapi-validator/dist/middlewares/openapi.request.validator.js";
import { ContentType } from "express-openapi-validator/dist/middlewares/util.js";
import { OpenApiValidator } from "express-openapi-validator/dist/openapi.validator.js";
import { type OpenApiDocument, type Schema, unescapeKey } from "./document/document.ts";
import type { Subject, UploadedFile } from "./request/subject.ts";

/**
 * The release of express-openapi-validator (EOV) whose source was read for this file, the only one that enters EOV. What it
 * relies on, beyond what EOV documents:
 *
 * - `OpenApiValidator.installMiddleware` takes a loaded document. `middleware()` loads it, and compiles the schema of OpenAPI
 *   itself for each one: four fifths of the whole cost, for a document that was bundled before.
 * - It returns steps that are known by their names, and that read what they need from `request.openapi`. EOV's own sequence
 *   runs all of them, and routes anew, for each request.
 * - `RequestValidator.validate` judges one request, and throws. Its private `ajv` and `ajvBody` keep compiled schemas under
 *   method, path and content type, so that plain requests go past EOV, and report errors by `errorsText`, so that
 *   messages are made of facts and not of English text.
 * - `ajvOpts.baseOptions` gives the options of ajv. With `strictTuples` a valid schema is refused: a tuple that ends by
 *   `unevaluatedItems`.
 * - `responseMiddleware` replaces `response.json`, and passes what is wrong to the `next` of its own call.
 * - `multipartMiddleware` reads a stream with multer, and leaves `body` and `files` on it.
 * - Three refusals are known by their text alone: see `ownFaultOf`.
 */
export const EOV_READ = "5.6.2";

/** A step of EOV, as Express would call it. */
type Middleware = (request: unknown, response: unknown, next: (error?: unknown) => void) => unknown;

/** Validates the requests of one operation. */
export interface RequestEov {
  /** Returns what is wrong with a request, and coerces a valid one in place. Throws when the schemas are at fault. */
  validate: (subject: Subject) => Fault[];
  /** The compiled schemas, by content type. */
  compiled: Map<string | undefined, CompiledSchemas | undefined>;
  /** Takes the bytes of a multipart body apart into fields and files. Rejects when they are malformed. */
  readMultipart: (subject: Subject) => Promise<{ body: object; files: UploadedFile[] }>;
}

/** Resolves to what is wrong with a body of one status: where, as `/response/…`, and what. */
export type ResponseEov = (status: number, body: object) => Promise<{ path: string; message: string }[]>;

/** Each judges `{ query, params, headers, body }`, coercing it and filling in defaults. */
export interface CompiledSchemas {
  parameters: CompiledSchema;
  body: CompiledSchema;
}

/** As ajv compiles it: what it had against the last data it refused is in `errors`. */
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
 * What is wrong with a request: the keyword of JSON Schema that a value breaks. What EOV refuses by itself is `emptyValue`,
 * `reservedCharacter` and `discriminator`.
 */
export interface Fault {
  keyword: string;
  place: "query" | "params" | "headers" | "body";
  /** Leads to the value, from its place on. */
  path: string[];
  /** What the keyword asks for, as ajv names it. */
  params: Record<string, unknown>;
  /** The schema with the keyword, and the value it refuses. */
  schema: Schema;
  value: unknown;
  /** The name of a field, where the name breaks the schema. */
  fieldName?: string;
}

/**
 * Builds EOV for the requests of a document's one operation, at a path without parameters, with its schemas compiled for
 * these content types. Rejects when the schemas are at fault.
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
  // It compiles at the first request, whatever becomes of that.
  for (const type of contentTypes) validateSubject(probeOf(method, type));
  return {
    validate: validateSubject,
    compiled: new Map(contentTypes.map((type) => [type, compiledFor(type)])),
    readMultipart: (subject) => readMultipart(step("multipartMiddleware"), { ...subject, openapi: metadata }),
  };
}

/** Builds EOV for the responses of a document's one operation. Rejects when the schemas are at fault. */
export async function responseEov(document: OpenApiDocument, path: string): Promise<ResponseEov> {
  const { metadata, step } = await bind(document, path, "get", {
    validateRequests: false,
    validateResponses: true,
    fileUploader: false,
  });
  const validate = step("responseMiddleware");
  await validateResponse(validate, metadata, 200, {}); // compiles them all
  return (status, body) => validateResponse(validate, metadata, status, body);
}

/** The options of EOV that differ between requests and responses. */
interface EovOptions {
  validateRequests: boolean;
  validateResponses: boolean;
  fileUploader: object | false;
}

/**
 * Loads a document into EOV, to keep, and finds its one operation, whose `metadata` is what its steps expect as
 * `request.openapi`. Dates stay the strings they are, int64 is what a double holds exactly, and a URL what URLs are parsed
 * as: its expression in ajv-formats takes quadratic time.
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
  ajvOptions.baseOptions = () => ({ ...baseOptions(), strictTuples: false });
  const middlewares = validator.installMiddleware(Promise.resolve(spec)) as Middleware[];
  const step = (name: string): Middleware => {
    const found = middlewares.find((middleware) => middleware.name === name);
    if (found === undefined) throw new Error(`This release of express-openapi-validator has no ${name}.`);
    return found;
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

/** Whether a text is a URL of the web, in time linear in its length. */
function isUrl(text: string): boolean {
  return /^(?:https?|ftp):\/\/[^\s\\/\p{Cc}][^\s\\\p{Cc}]*$/iu.test(text) && URL.canParse(text);
}

function bindValidate(validator: RequestValidator, path: string, method: string) {
  // It keeps what it compiles in two private instances of ajv, under this key. Were it another, nothing would be found.
  const { ajv, ajvBody } = validator as unknown as Record<"ajv" | "ajvBody", Ajv>;
  const compiledFor = (contentType: string | undefined) => {
    const key = `${method.toUpperCase()}-${path}-${ContentType.fromString(contentType as string).normalize() ?? "not_provided"}`;
    const [parameters, body] = [ajv.getSchema(key), ajvBody.getSchema(key)];
    return parameters && body ? ({ parameters, body } as CompiledSchemas) : undefined;
  };
  // EOV passes the errors here just before it throws, and keeps only their English text.
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
      return errors.map((found) =>
        faultOf(whole.has(found) ? found : { ...found, instancePath: `/body${found.instancePath}` }),
      );
    }
  };
  return { validate, compiledFor };
}

interface Ajv {
  getSchema: (key: string) => unknown;
  errorsText: (errors: AjvError[]) => string;
}

/** Whatever has no 4xx status is a fault. */
function isValidationError(error: unknown): error is Error & { errors?: { path: string; message: string }[] } {
  const status = error instanceof Error && "status" in error ? Number(error.status) : 500;
  return status >= 400 && status <= 499;
}

/** What the schemas had against the data last judged: the parameters, or where these are valid the body. */
export function faultsOf({ parameters, body }: CompiledSchemas): Fault[] {
  return [...(parameters.errors ?? []), ...(body.errors ?? [])].map(faultOf);
}

function faultOf({ keyword, instancePath, params, parentSchema = {}, data, propertyName }: AjvError): Fault {
  const name = params["missingProperty"] ?? params["additionalProperty"] ?? params["unevaluatedProperty"];
  const [place = "body", ...path] = instancePath.split("/").slice(1).map(unescapeKey);
  return {
    keyword,
    place: place as Fault["place"],
    path: typeof name === "string" && instancePath !== "" ? [...path, name] : path,
    params,
    schema: parentSchema,
    value: data,
    ...(propertyName !== undefined && { fieldName: propertyName }),
  };
}

/** What EOV refuses before its schemas judge; it says so in words alone. */
function ownFaultOf(
  error: { errors?: { path: string; message: string }[] },
  request: Record<string, Record<string, unknown>>,
): Fault {
  const [{ path, message } = { path: "", message: "" }] = error.errors ?? [];
  const name = path.slice("/query/".length);
  const inQuery: Omit<Fault, "keyword"> = {
    place: "query",
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
    place: "body",
    path: [field],
    params: { allowedValues },
    schema: {},
    value: request["body"]?.[field],
  };
}

/** multer's names for the parts of an `UploadedFile`. */
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

/** EOV wraps `response.json`; what it then objects to goes to the `next` it was given. */
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
    throw new Error(`The response schemas are at fault: ${String(reportedError)}`, { cause: reportedError });
  return errors;
}

/** A path of no parameters, as EOV's router knows it. */
function routeOf(path: string, method: string) {
  return { basePath: "", expressRoute: path, openApiRoute: path, method: method.toUpperCase(), pathParams: [] };
}

/** Runs one step to its `next`, or rejects with what it passes there. */
function run(middleware: Middleware, request: unknown, response: unknown = {}): Promise<void> {
  return new Promise((done, failed) => {
    const next = (error?: unknown) => (error === undefined ? done() : failed(error));
    void Promise.resolve(middleware(request, response, next)).catch(failed);
  });
}
