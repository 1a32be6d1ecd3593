import * as OpenApiValidator from "express-openapi-validator";
import type { OpenApiDocument } from "./document.ts";

/** A step of express-openapi-validator (EOV), as Express would call it. */
export type Middleware = (request: unknown, response: unknown, next: (error?: unknown) => void) => unknown;

/** EOV over a document of one operation, its own routing done once: `metadata` is what its steps expect as `request.openapi`. */
export interface BoundValidator {
  metadata: object;
  step: (name: "requestMiddleware" | "multipartMiddleware" | "responseMiddleware") => Middleware;
}

export interface EovOptions {
  validateRequests: boolean;
  validateResponses: boolean;
  fileUploader: boolean;
}

/**
 * Loads a document into EOV and finds its one operation at `path`. Dates stay the strings they are, and int64 is what
 * a double holds exactly. Rejects when EOV cannot load the document.
 */
export async function bindValidator(
  document: OpenApiDocument,
  path: string,
  method: string,
  options: EovOptions,
): Promise<BoundValidator> {
  const middlewares = OpenApiValidator.middleware({
    apiSpec: document as never,
    validateApiSpec: false,
    validateSecurity: false,
    validateRequests: options.validateRequests,
    validateResponses: options.validateResponses,
    fileUploader: options.fileUploader ? {} : false,
    formats: { int64: { type: "number", validate: Number.isSafeInteger } },
    serDes: [{ format: "date-time" }, { format: "date" }],
  }) as Middleware[];
  const step = (name: string) => {
    const found = middlewares.find((middleware) => middleware.name === name);
    if (found === undefined) throw new Error(`This release of express-openapi-validator has no ${name}.`);
    return found;
  };
  const app = { enabled: () => false, param: () => {} };
  const probe = { method: method.toUpperCase(), originalUrl: path, url: path, path, baseUrl: "", app, openapi: {} };
  await run(step("pathParamsMiddleware"), probe);
  await run(step("metadataMiddleware"), probe);
  return { metadata: probe.openapi, step };
}

/** Runs one step to its `next`, or rejects with what it passes there. */
export function run(middleware: Middleware, request: unknown, response: unknown = {}): Promise<void> {
  return new Promise((done, failed) => {
    const next = (error?: unknown) => (error === undefined || error === null ? done() : failed(error));
    void Promise.resolve(middleware(request, response, next)).catch(failed);
  });
}
