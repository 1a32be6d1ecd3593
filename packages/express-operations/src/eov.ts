import { RequestValidator } from "express-openapi-validator/dist/middlewares/openapi.request.validator.js";
import { ajvErrorsToValidatorError, augmentAjvErrors } from "express-openapi-validator/dist/middlewares/util.js";
import { OpenApiValidator } from "express-openapi-validator/dist/openapi.validator.js";
import type { OpenApiDocument } from "./document.ts";

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
  judge: Middleware;
  compiledFor: (contentType: string | undefined) => CompiledSchemas | undefined;
}

/** Each judges `{ query, params, headers, body }`, coercing it and filling in defaults. */
export interface CompiledSchemas {
  parameters: CompiledSchema;
  body: CompiledSchema;
}

/** As ajv compiles it: what it had against the last data it refused is in `errors`. */
type CompiledSchema = ((data: object) => boolean) & { errors?: object[] | null };

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
  const requestJudge = () => requestJudgeOf(new RequestValidator(spec.apiDoc, validator.ajvOpts.request), path, method);
  return { metadata: probe.openapi, step, requestJudge };
}

/** Whether a text is a URL of the web, in time linear in its length. */
function isUrl(text: string): boolean {
  return /^(?:https?|ftp):\/\/[^\s\\/\p{Cc}][^\s\\\p{Cc}]*$/iu.test(text) && URL.canParse(text);
}

function requestJudgeOf(validator: RequestValidator, path: string, method: string): RequestJudge {
  // It keeps what it compiles in two private instances of ajv, under this key. Were it another, nothing would be found.
  const { ajv, ajvBody } = validator as unknown as Record<"ajv" | "ajvBody", { getSchema: (key: string) => unknown }>;
  return {
    judge: (request, response, next) => validator.validate(request as never, response as never, next),
    compiledFor: (contentType = "not_provided") => {
      const key = `${method.toUpperCase()}-${path}-${contentType}`;
      const [parameters, body] = [ajv.getSchema(key), ajvBody.getSchema(key)];
      return parameters && body ? ({ parameters, body } as CompiledSchemas) : undefined;
    },
  };
}

/** What both had against the data last judged, as EOV would report it. */
export function faultsOf({ parameters, body }: CompiledSchemas): { path: string; message: string }[] {
  const errors = augmentAjvErrors([...(parameters.errors ?? []), ...(body.errors ?? [])] as never);
  return ajvErrorsToValidatorError(400, errors).errors;
}

/** A path of no parameters, as EOV's router knows it. */
function routeOf(path: string, method: string) {
  return { basePath: "", expressRoute: path, openApiRoute: path, method: method.toUpperCase(), pathParams: [] };
}

/** Runs one step to its `next`, or rejects with what it passes there. */
export function run(middleware: Middleware, request: unknown, response: unknown = {}): Promise<void> {
  return new Promise((done, failed) => {
    const next = (error?: unknown) => (error === undefined || error === null ? done() : failed(error));
    void Promise.resolve(middleware(request, response, next)).catch(failed);
  });
}
