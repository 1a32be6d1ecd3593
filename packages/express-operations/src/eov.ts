import { RequestValidator } from "express-openapi-validator/dist/middlewares/openapi.request.validator.js";
import { ContentType } from "express-openapi-validator/dist/middlewares/util.js";
import { OpenApiValidator } from "express-openapi-validator/dist/openapi.validator.js";
import { type OpenApiDocument, type Schema, unescapeKey } from "./document/document.ts";

/** A step of express-openapi-validator (EOV), as Express would call it. */
export type Middleware = (request: unknown, response: unknown, next: (error?: unknown) => void) => unknown;

/** EOV over a document of one operation, its own routing done once: `metadata` is what its steps expect as `request.openapi`. */
export interface BoundValidator {
  metadata: object;
  step: (name: "multipartMiddleware" | "responseMiddleware") => Middleware;
  requestJudge: () => RequestJudge;
}

/** EOV's step that judges requests, and the schemas it has compiled for the content types it has seen. */
export interface RequestJudge {
  /** Returns what is wrong with a request, and coerces a valid one in place. Throws when the schemas are at fault. */
  judge: (request: object) => Fault[];
  compiledFor: (contentType: string | undefined) => CompiledSchemas | undefined;
}

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

/** Which of its steps EOV makes. */
export interface EovOptions {
  validateRequests: boolean;
  validateResponses: boolean;
  fileUploader: boolean;
}

/**
 * Loads a document into EOV, to keep, and finds its one operation at `path`. Dates stay the strings they are, int64 is what a
 * double holds exactly, and a URL what URLs are parsed as: its expression in ajv-formats takes quadratic time. Rejects when EOV cannot load the document.
 *
 * It comes in below EOV's `middleware()`, whose loader compiles the schema of OpenAPI itself each time: four fifths of the
 * whole cost, for a document that was bundled before.
 */
export async function bindValidator(
  document: OpenApiDocument,
  path: string,
  method: string,
  options: EovOptions,
): Promise<BoundValidator> {
  const spec = { apiDoc: document as never, basePaths: [""], routes: [routeOf(path, method)], serial: 0 };
  const validator = new OpenApiValidator({
    apiSpec: document as never,
    validateApiSpec: false,
    validateSecurity: false,
    validateRequests: options.validateRequests,
    validateResponses: options.validateResponses,
    fileUploader: options.fileUploader ? {} : false,
    formats: { int64: { type: "number", validate: Number.isSafeInteger }, url: { type: "string", validate: isUrl } },
    serDes: [{ format: "date-time" }, { format: "date" }],
  });
  const middlewares = validator.installMiddleware(Promise.resolve(spec)) as Middleware[];
  const step = (name: string) => {
    const found = middlewares.find((middleware) => middleware.name === name);
    if (found === undefined) throw new Error(`This release of express-openapi-validator has no ${name}.`);
    return found;
  };
  const app = { enabled: () => false, param: () => {} };
  const probe = { method: method.toUpperCase(), originalUrl: path, url: path, path, baseUrl: "", app, openapi: {} };
  await run(step("pathParamsMiddleware"), probe);
  await run(step("metadataMiddleware"), probe);
  const requestJudge = () =>
    requestJudgeOf(new RequestValidator(spec.apiDoc, { ...validator.ajvOpts.request, verbose: true }), path, method);
  return { metadata: probe.openapi, step, requestJudge };
}

/** Whether a text is a URL of the web, in time linear in its length. */
function isUrl(text: string): boolean {
  return /^(?:https?|ftp):\/\/[^\s\\/\p{Cc}][^\s\\\p{Cc}]*$/iu.test(text) && URL.canParse(text);
}

function requestJudgeOf(validator: RequestValidator, path: string, method: string): RequestJudge {
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
  const judge = (request: object): Fault[] => {
    try {
      void validator.validate(request as never, {} as never, () => {});
      return [];
    } catch (error) {
      if (!isRefusal(error)) throw error;
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
  return { judge, compiledFor };
}

interface Ajv {
  getSchema: (key: string) => unknown;
  errorsText: (errors: AjvError[]) => string;
}

/** Whatever has no 4xx status is a fault. */
function isRefusal(error: unknown): error is Error & { errors?: { path: string; message: string }[] } {
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

/** A path of no parameters, as EOV's router knows it. */
function routeOf(path: string, method: string) {
  return { basePath: "", expressRoute: path, openApiRoute: path, method: method.toUpperCase(), pathParams: [] };
}

/** Runs one step to its `next`, or rejects with what it passes there. */
export function run(middleware: Middleware, request: unknown, response: unknown = {}): Promise<void> {
  return new Promise((done, failed) => {
    const next = (error?: unknown) => (error === undefined ? done() : failed(error));
    void Promise.resolve(middleware(request, response, next)).catch(failed);
  });
}
