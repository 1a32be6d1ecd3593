import type {
  OpenApiDocument,
  OperationEntry,
  OperationObject,
  ParameterObject,
  RequestBodyObject,
  Schema,
} from "./document.ts";
import { resolve, unescapeKey } from "./document.ts";
import { bindValidator, type Middleware, run } from "./eov.ts";
import { excerpt } from "./excerpt.ts";
import { multipartFieldsOf, readMultipart, type UploadedFile } from "./multipart.ts";
import { describe, printable, type Problem, refuse } from "./problem.ts";
import { type Faults, quickVerdict } from "./quick-verdict.ts";

/** A request as express-openapi-validator reads and rewrites it: coerced in place, defaults filled in. */
export interface Subject {
  method: string;
  originalUrl: string;
  path: string;
  headers: Record<string, unknown>;
  params: Record<string, unknown>;
  query: Record<string, unknown>;
  body?: unknown;
  /** The files of a multipart body, once it is validated. */
  files?: UploadedFile[];
  openapi?: unknown;
}

/**
 * Validates one request, and gives the 400 to answer with if it is not valid: at once by the shortcut. Rejects when the
 * schema is at fault.
 */
export type Validate = (subject: Subject) => Problem | undefined | Promise<Problem | undefined>;

/**
 * Builds express-openapi-validator (EOV) for one operation, over the document cut down to it, its schemas compiled.
 * A request runs only those of its steps that judge it, and none where its compiled schemas alone can accept it.
 */
export async function buildValidator(
  document: OpenApiDocument,
  entry: OperationEntry,
  { shortcut }: { shortcut: boolean },
): Promise<Validate> {
  const requestBody = resolve<RequestBodyObject | undefined>(document, entry.operation.requestBody);
  const contentTypes = Object.keys(requestBody?.content ?? {});
  const isMultipart = contentTypes.some((type) => type.startsWith("multipart/"));
  const part = excerpt(document, entry.method, requestSide(entry, requestBody));
  const options = { validateRequests: true, validateResponses: false, fileUploader: isMultipart };
  const { metadata, step, requestJudge } = await bindValidator(part.document, part.at, entry.method, options);
  const { judge, compiledFor } = requestJudge();
  const takeApart = isMultipart ? step("multipartMiddleware") : undefined;
  const fields = isMultipart ? multipartFieldsOf(document, requestBody!) : { files: [], json: [] };
  const sentTypes = requestBody?.required === true ? contentTypes : [undefined, ...contentTypes];
  for (const type of sentTypes) await compile(judge, metadata, entry.method, type);

  const mustBeObject = Object.values(requestBody?.content ?? {}).some(
    ({ schema }) => resolve<Schema>(document, schema ?? {})["discriminator"] !== undefined,
  );

  const compiled = new Map(sentTypes.map((type) => [type, compiledFor(type)]));
  const judgeQuickly =
    shortcut && !mustBeObject && !isMultipart
      ? quickVerdict(document, entry.parameters, (type) => compiled.get(type))
      : () => undefined;

  const judgeWhole = async (subject: Subject): Promise<Problem | undefined> => {
    // EOV reads the discriminator of whatever the body is, and null has no fields.
    if (mustBeObject && subject.body === null) return refuse(400, "The request body must be object.");
    subject.openapi = { ...metadata, pathParams: subject.params };
    subject.query = { ...subject.query };
    if (takeApart !== undefined) await readMultipart(takeApart, subject, fields);
    try {
      await run(judge, subject);
      return undefined;
    } catch (error) {
      if (isRefusal(error)) return refusalFor((error as { errors?: Faults }).errors ?? [], entry.parameters);
      throw error;
    }
  };

  return (subject) => {
    const faults = judgeQuickly(subject);
    if (faults === undefined) return judgeWhole(subject);
    return faults.length > 0 ? refusalFor(faults, entry.parameters) : undefined;
  };
}

/** What of an operation judges its requests, with the defaults spelt out that EOV does not know. */
function requestSide(entry: OperationEntry, requestBody: RequestBodyObject | undefined): OperationObject {
  const { callbacks: _, requestBody: __, ...operation } = entry.operation;
  return {
    ...operation,
    parameters: entry.parameters.map(withStyle),
    ...(requestBody && { requestBody: { ...requestBody, required: requestBody.required ?? false } }),
    responses: {},
  };
}

/** EOV coerces a copy of the cookies, and headers in place: so it is shown cookies as headers. */
function withStyle(parameter: ParameterObject): ParameterObject {
  if (parameter.in === "query") return parameter;
  const style = parameter.in === "cookie" ? "simple" : (parameter.style ?? "simple");
  const shown = { ...parameter, style, explode: parameter.in === "cookie" ? false : (parameter.explode ?? false) };
  return parameter.in === "cookie" ? { ...shown, in: "header", name: cookieHeader(parameter.name) } : shown;
}

/** The name under which a cookie stands among the headers of a `Subject`; no header can have it. */
export function cookieHeader(name: string): string {
  return `cookie:${name}`.toLowerCase();
}

/** Has EOV compile the schemas for one content type: it does so at the first request, whatever becomes of that. */
async function compile(
  judge: Middleware,
  metadata: object,
  method: string,
  contentType: string | undefined,
): Promise<void> {
  const probe: Subject = {
    method: method.toUpperCase(),
    originalUrl: "/",
    path: "/",
    headers: { "content-type": contentType },
    params: {},
    query: {},
    body: {},
    openapi: { ...metadata, pathParams: {} },
  };
  await run(judge, probe).catch((error: { status?: number }) => {
    if (!isRefusal(error)) throw error;
  });
}

/** EOV's refusal, in words that name the place and never repeat a value. */
function refusalFor([first]: Faults, parameters: ParameterObject[]): Problem {
  if (first === undefined) return refuse(400, "The request does not match the contract.");
  return refuse(400, explain(first.path, first.message, parameters));
}

/** Whatever has no 4xx status is a fault. */
function isRefusal(error: unknown): boolean {
  const status = error instanceof Error && "status" in error ? Number(error.status) : 500;
  return status >= 400 && status <= 499;
}

const PLACES = { query: "query", params: "path", headers: "header" } as const;

function explain(path: string, message: string, parameters: ParameterObject[]): string {
  const [place = "", ...segments] = path.replace(/^\//, "").split("/");
  // Where a discriminator chose the schema, EOV leaves the field to its message.
  const field = /^must have required property '(.+)'$|^'(.+?)' must /.exec(message)?.slice(1).find(Boolean);
  if (field !== undefined && segments.at(-1) !== field && !(place in PLACES)) segments.push(field);
  if (place in PLACES) {
    const name = segments[0] ?? "";
    const declared = parameters.find(({ in: where, name: own }) => {
      return (where === "header" && own.toLowerCase() === name) || (where === "cookie" && cookieHeader(own) === name);
    });
    const subject = declared
      ? describe(declared.in, declared.name)
      : describe(PLACES[place as keyof typeof PLACES], name);
    return `${subject} ${reasonOf(message)}.`;
  }
  const names = segments.map((segment) => printable(unescapeKey(segment)));
  const known = names.includes(undefined) ? names.slice(0, names.indexOf(undefined)) : names;
  const part = known.length === names.length ? "" : "A field in ";
  const subject = known.length === 0 ? "the request body" : `body field "${known.join(".")}"`;
  const sentence = `${part}${subject} ${reasonOf(message)}.`;
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/** EOV's reason, shortened where it would repeat the name that the sentence starts with. */
function reasonOf(message: string): string {
  if (message.startsWith("must have required property")) return "is required";
  if (/^must NOT have (?:additional|unevaluated) properties$/.test(message)) return "is not known";
  if (message.startsWith("Unknown query parameter")) return "is not known";
  if (message.startsWith("Empty value found")) return "must not be empty";
  if (message.includes("must be url encoded")) return "must be percent-encoded";
  return message.replace(/^'.+?' (?=must )/, "").replace(/\.$/, "");
}
