import type {
  OpenApiDocument,
  OperationEntry,
  OperationObject,
  RequestBodyObject,
  Schema,
} from "../document/document.ts";
import { resolve } from "../document/document.ts";
import { excerpt } from "../document/excerpt.ts";
import { type Fault, requestEov } from "../eov.ts";
import { type Problem, createProblem } from "../problem.ts";
import { parameterForEov } from "./eov-parameter.ts";
import { messageOf } from "./fault-message.ts";
import { multipartFieldsOf, readMultipart } from "./multipart.ts";
import { type FastValidation, fastValidation } from "./parameters.ts";
import type { Subject } from "./subject.ts";

/** Validates the requests of one operation. */
export interface Validator {
  validateFast: FastValidation;
  /** Resolves to the 400 for an invalid request. Rejects if the schema is invalid. */
  validateFully: (subject: Subject) => Promise<Problem | undefined>;
  /** Returns the 400 for the faults that `validateFast` found. */
  problemFor: (faults: Fault[], subject: Subject) => Problem | undefined;
}

/**
 * Builds express-openapi-validator (EOV) for one operation, with a document that holds only this operation. Schemas are
 * compiled once. A request runs only the middlewares that validate it, and none if the compiled schemas alone suffice.
 */
export async function buildValidator(
  document: OpenApiDocument,
  entry: OperationEntry,
  { fastPath }: { fastPath: boolean },
): Promise<Validator> {
  const requestBody = resolve<RequestBodyObject | undefined>(document, entry.operation.requestBody);
  const contentTypes = Object.keys(requestBody?.content ?? {});
  const isMultipart = contentTypes.some((type) => type.startsWith("multipart/"));
  const part = excerpt(document, entry.method, requestSide(document, entry, requestBody));
  const sentTypes = requestBody?.required === true ? contentTypes : [undefined, ...contentTypes];
  const eov = await requestEov(part.document, part.at, entry.method, sentTypes);
  const fields = isMultipart ? multipartFieldsOf(document, requestBody!) : undefined;

  const mustBeObject = Object.values(requestBody?.content ?? {}).some(
    ({ schema }) => resolve<Schema>(document, schema ?? {})["discriminator"] !== undefined,
  );

  const validateFast =
    fastPath && !mustBeObject && !isMultipart
      ? fastValidation(document, entry.parameters, eov.compiled)
      : () => undefined;

  const problemFor = (faults: Fault[], subject: Subject) => {
    return faults.length === 0 ? undefined : createProblem(400, messageOf(document, entry.parameters, faults, subject));
  };

  const validateFully = async (subject: Subject): Promise<Problem | undefined> => {
    // EOV reads the discriminator of any body, and fails on null
    if (mustBeObject && subject.body === null) return createProblem(400, "The request body must be an object.");
    subject.query = { ...subject.query };
    if (fields !== undefined) await readMultipart(eov, subject, fields);
    return problemFor(eov.validate(subject), subject);
  };

  return { validateFast, validateFully, problemFor };
}

/** Returns the parts of an operation that validate requests. Defaults that EOV does not know are written out. */
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
