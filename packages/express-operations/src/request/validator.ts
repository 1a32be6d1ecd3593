import type {
  OpenApiDocument,
  OperationEntry,
  OperationObject,
  RequestBodyObject,
  Schema,
} from "../document/document.ts";
import { resolve } from "../document/document.ts";
import { excerpt } from "../document/excerpt.ts";
import { bindValidator, type Fault, type RequestJudge } from "../eov.ts";
import { type Problem, refuse } from "../problem.ts";
import { parameterForEov } from "./eov-parameter.ts";
import { messageOf } from "./fault-message.ts";
import { multipartFieldsOf, readMultipart } from "./multipart.ts";
import { type QuickVerdict, quickVerdict } from "./parameters.ts";
import type { Subject } from "./subject.ts";

/** Validates the requests of one operation. */
export interface Validator {
  judgeQuickly: QuickVerdict;
  /** Resolves to the 400 to answer with if a request is not valid. Rejects when the schema is at fault. */
  judgeWhole: (subject: Subject) => Promise<Problem | undefined>;
  /** Returns the 400 for what `judgeQuickly` has found. */
  refusalFor: (faults: Fault[]) => Problem | undefined;
}

/**
 * Builds express-openapi-validator (EOV) for one operation, over the document cut down to it, its schemas compiled.
 * A request runs only those of its steps that judge it, and none where its compiled schemas alone can accept it.
 */
export async function buildValidator(
  document: OpenApiDocument,
  entry: OperationEntry,
  { shortcut }: { shortcut: boolean },
): Promise<Validator> {
  const requestBody = resolve<RequestBodyObject | undefined>(document, entry.operation.requestBody);
  const contentTypes = Object.keys(requestBody?.content ?? {});
  const isMultipart = contentTypes.some((type) => type.startsWith("multipart/"));
  const part = excerpt(document, entry.method, requestSide(document, entry, requestBody));
  const options = { validateRequests: true, validateResponses: false, fileUploader: isMultipart };
  const { metadata, step, requestJudge } = await bindValidator(part.document, part.at, entry.method, options);
  const { judge, compiledFor } = requestJudge();
  const takeApart = isMultipart ? step("multipartMiddleware") : undefined;
  const fields = isMultipart ? multipartFieldsOf(document, requestBody!) : { files: [], json: [] };
  const sentTypes = requestBody?.required === true ? contentTypes : [undefined, ...contentTypes];
  for (const type of sentTypes) compile(judge, metadata, entry.method, type);

  const mustBeObject = Object.values(requestBody?.content ?? {}).some(
    ({ schema }) => resolve<Schema>(document, schema ?? {})["discriminator"] !== undefined,
  );

  const compiled = new Map(sentTypes.map((type) => [type, compiledFor(type)]));
  const judgeQuickly =
    shortcut && !mustBeObject && !isMultipart ? quickVerdict(document, entry.parameters, compiled) : () => undefined;

  const refusalFor = (faults: Fault[]) => {
    return faults.length === 0 ? undefined : refuse(400, messageOf(document, entry.parameters, faults));
  };

  const judgeWhole = async (subject: Subject): Promise<Problem | undefined> => {
    // EOV reads the discriminator of whatever the body is, and null has no fields.
    if (mustBeObject && subject.body === null) return refuse(400, "The request body must be an object.");
    subject.openapi = { ...metadata, pathParams: subject.params };
    subject.query = { ...subject.query };
    if (takeApart !== undefined) await readMultipart(takeApart, subject, fields);
    return refusalFor(judge(subject));
  };

  return { judgeQuickly, judgeWhole, refusalFor };
}

/** What of an operation judges its requests, with the defaults spelt out that EOV does not know. */
function requestSide(
  document: OpenApiDocument,
  entry: OperationEntry,
  requestBody: RequestBodyObject | undefined,
): OperationObject {
  const { callbacks: _, requestBody: __, ...operation } = entry.operation;
  return {
    ...operation,
    parameters: entry.parameters.map((parameter) => parameterForEov(document, parameter)),
    ...(requestBody && { requestBody: { ...requestBody, required: requestBody.required ?? false } }),
    responses: {},
  };
}

/** Has EOV compile the schemas for one content type: it does so at the first request, whatever becomes of that. */
function compile(
  judge: RequestJudge["judge"],
  metadata: object,
  method: string,
  contentType: string | undefined,
): void {
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
  judge(probe);
}
