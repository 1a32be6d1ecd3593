import type { Request } from "express";
import * as OpenApiValidator from "express-openapi-validator";
import type { OpenApiDocument, OperationEntry, RequestBodyObject } from "./document.ts";
import { resolve } from "./document.ts";
import { excerpt } from "./excerpt.ts";
import { describe } from "./parameters.ts";
import { printable, refuse } from "./problem.ts";

/** A request as express-openapi-validator reads and rewrites it: coerced in place, defaults filled in. */
export interface Subject {
  method: string;
  originalUrl: string;
  path: string;
  headers: Record<string, unknown>;
  params: Record<string, unknown>;
  query: Record<string, unknown>;
  cookies: Record<string, unknown>;
  body?: unknown;
  openapi?: unknown;
}

/** Validates one request, or throws the 400 to answer with. Rejects with anything else when the schema is at fault. */
export type Validate = (subject: Subject, request: Request) => Promise<void>;

type Middleware = (request: unknown, response: unknown, next: (error?: unknown) => void) => unknown;

/**
 * Builds express-openapi-validator (EOV) for one operation, over the document cut down to it, and binds EOV's own
 * routing to that operation once, so that a request runs only what judges it.
 */
export async function buildValidator(document: OpenApiDocument, entry: OperationEntry): Promise<Validate> {
  const requestBody = resolve<RequestBodyObject | undefined>(document, entry.operation.requestBody);
  const contentTypes = Object.keys(requestBody?.content ?? {});
  const isMultipart = contentTypes.some((type) => type.startsWith("multipart/"));
  const part = excerpt(document, entry);
  const middlewares = OpenApiValidator.middleware({
    apiSpec: part.document as never,
    validateApiSpec: false,
    validateSecurity: false,
    validateRequests: true,
    validateResponses: false,
    fileUploader: isMultipart ? {} : false,
    formats: { int64: { type: "number", validate: Number.isSafeInteger } },
    serDes: [{ format: "date-time" }, { format: "date" }],
  }) as Middleware[];
  const named = (name: string) => {
    const found = middlewares.find((middleware) => middleware.name === name);
    if (found === undefined) throw new Error(`This release of express-openapi-validator has no ${name}.`);
    return found;
  };
  const metadata = await bind(named("pathParamsMiddleware"), named("metadataMiddleware"), entry.method, part.at);
  const judge = named("requestMiddleware");
  const judges = [...(isMultipart ? [named("multipartMiddleware")] : []), judge];
  for (const type of contentTypes.length > 0 ? contentTypes : [undefined]) await compile(judge, metadata, entry.method, type);

  return async (subject, request) => {
    subject.openapi = { ...metadata, pathParams: subject.params };
    const judged = isMultipart ? Object.assign(request, subject) : subject;
    try {
      for (const middleware of judges) await run(middleware, judged);
    } catch (error) {
      throw asProblem(error);
    }
    if (isMultipart) subject.body = request.body;
  };
}

/** What EOV's routing knows of the operation; it also surfaces a document that EOV could not load. */
async function bind(load: Middleware, route: Middleware, method: string, path: string): Promise<object> {
  const app = { enabled: () => false, param: () => {} };
  const probe = { method: method.toUpperCase(), originalUrl: path, url: path, path, baseUrl: "", app, openapi: {} };
  await run(load, probe);
  await run(route, probe);
  return probe.openapi;
}

/** Has EOV compile the schemas for one content type: it does so at the first request, whatever becomes of that. */
async function compile(judge: Middleware, metadata: object, method: string, contentType: string | undefined): Promise<void> {
  const probe = {
    ...{ method: method.toUpperCase(), originalUrl: "/", path: "/", headers: { "content-type": contentType } },
    ...{ params: {}, query: {}, cookies: {}, body: {}, openapi: { ...metadata, pathParams: {} } },
  };
  await run(judge, probe).catch((error: { status?: number }) => {
    if (!isRefusal(error)) throw error;
  });
}

function run(middleware: Middleware, request: unknown): Promise<void> {
  return new Promise((done, failed) => {
    const next = (error?: unknown) => (error === undefined || error === null ? done() : failed(error));
    void Promise.resolve(middleware(request, {}, next)).catch(failed);
  });
}

/** EOV's refusals, in words that name the place and never repeat a value. Whatever has no 4xx status is a fault. */
function asProblem(error: unknown): unknown {
  const { errors } = error as { errors?: { path: string; message: string }[] };
  if (!isRefusal(error)) return error;
  const first = errors?.[0];
  if (first === undefined) return refuse(400, "The request does not match the contract.");
  return refuse(400, explain(first.path, first.message));
}

function isRefusal(error: unknown): boolean {
  const status = error instanceof Error && "status" in error ? Number(error.status) : 500;
  return status >= 400 && status <= 499;
}

const PLACES = { query: "query", params: "path", headers: "header", cookies: "cookie" } as const;

function explain(path: string, message: string): string {
  const [place = "", ...segments] = path.replace(/^\//, "").split("/");
  if (place in PLACES) {
    const subject = describe(PLACES[place as keyof typeof PLACES], segments[0] ?? "");
    return `${subject} ${reasonOf(message)}.`;
  }
  const names = segments.map((segment) => printable(segment.replaceAll("~1", "/").replaceAll("~0", "~")));
  const known = names.includes(undefined) ? names.slice(0, names.indexOf(undefined)) : names;
  const field = known.length === names.length ? "" : "A field in ";
  const subject = known.length === 0 ? "the request body" : `body field "${known.join(".")}"`;
  const sentence = `${field}${subject} ${reasonOf(message)}.`;
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/** EOV's reason, shortened where it would repeat the name that the sentence starts with. */
function reasonOf(message: string): string {
  if (message.startsWith("must have required property")) return "is required";
  if (/^must NOT have (?:additional|unevaluated) properties$/.test(message)) return "is not known";
  if (message.startsWith("Unknown query parameter")) return "is not known";
  if (message.startsWith("Empty value found")) return "must not be empty";
  if (message.includes("must be url encoded")) return "must be percent-encoded";
  return message;
}
