import {
  ERROR_KEY,
  essenceOf,
  isJson,
  type OpenApiDocument,
  type OperationEntry,
  operationsOf,
  resolve,
  type ResponseObject,
  responseKey,
  readableDocument,
  type Schema,
  schemasBelow,
} from "openapi-document";
import { type ErrorContent, errorWriter, findTexts } from "./error-writer.ts";
import { Problem, type ProblemContext, type ProblemResponse, problemResponse } from "../problem.ts";

/**
 * Returns a `problemFormat` that writes each error in the schema that the operation declares for its status. Fields with
 * common names hold code, message and status; lists hold the faults of a request; other required fields hold their examples.
 * An error with an undeclared status has the schema that most errors of the document have. An error of no operation has the one
 * that most operations of its path (405), or of the document, declare for its status. Where this schema can hold no fact, the
 * error is `{ code, message, status }`. An invalid request gets 422 if the operation declares that status, and neither 400
 * nor `4XX` nor `default`. Each schema is read once, at its first error. If a schema has a `pattern`, the call begins to load what
 * finds texts for it; until then, an error that needs such a text is `{ code, message, status }` too.
 */
export function declaredErrors(given: OpenApiDocument): (problem: Problem, context: ProblemContext) => ProblemResponse {
  const document = readableDocument(given);
  const all = operationsOf(document);
  const entries = new Map(all.map((entry) => [entry.id, entry]));
  const usual = usualError(document, all);
  findTextsFor(document, all).catch(() => {}); // a broken reference is reported with its operation
  const writerOf = (content: ErrorContent) => ({ ...content, write: errorWriter(document, content) });
  const usualWriter = usual && writerOf(usual);
  const writers = new Map<string, ReturnType<typeof writerOf> | undefined>();

  /** Returns the content as the operation declares it, or else as most operations of the path or of the document do. */
  function contentFor(entry: OperationEntry | undefined, path: string | undefined, status: number) {
    const key = entry && responseKey(entry, status);
    if (key !== undefined) return contentOf(document, entry!, key);
    if (entry !== undefined) return usual;
    const near = all.filter((own) => path === undefined || own.path === path);
    const ofStatus = usualError(document, near, (own) => responseKey(own, status) ?? []);
    return ofStatus ?? usualError(document, near) ?? usual;
  }

  return (raised, context) => {
    const entry = context.operationId === undefined ? undefined : entries.get(context.operationId);
    const problem = entry === undefined ? raised : withDeclaredStatus(raised, entry);
    const { status } = problem;
    const name = `${status} ${entry === undefined ? `at ${context.path ?? ""}` : `of ${entry.id}`}`;
    if (!writers.has(name)) {
      const content = contentFor(entry, context.path, status);
      writers.set(name, content === usual ? usualWriter : content && writerOf(content));
    }
    const writer = writers.get(name);
    const body = writer?.write(problem);
    if (writer === undefined || body === undefined) return { status, ...problemResponse(problem, "declared", context) };
    return { status, contentType: writer.mediaType, body };
  };
}

/** Loads what finds texts for patterns if a schema of errors has one. */
async function findTextsFor(document: OpenApiDocument, entries: OperationEntry[]): Promise<void> {
  const seen = new Set<Schema>();
  const contents = entries.flatMap((entry) => errorKeys(entry).flatMap((key) => contentOf(document, entry, key) ?? []));
  const schemas = contents.flatMap(({ schema }) => [...schemasBelow(document, schema, "", seen)]);
  if (schemas.some(([, { pattern }]) => pattern !== undefined)) await findTexts();
}

/** Makes a 400 the 422 of an operation that declares this status alone, as documents of FastAPI do. */
function withDeclaredStatus(problem: Problem, entry: OperationEntry): Problem {
  if (problem.status !== 400 || responseKey(entry, 422) !== "422" || responseKey(entry, 400) !== undefined)
    return problem;
  return new Problem(422, problem.code, problem.message, problem.headers, problem.errors);
}

/** Returns the content that most error responses of operations have, among those with these keys. */
function usualError(
  document: OpenApiDocument,
  entries: OperationEntry[],
  keysOf: (entry: OperationEntry) => string | string[] = errorKeys,
): ErrorContent | undefined {
  const contents = entries.flatMap((entry) =>
    [keysOf(entry)].flat().flatMap((key) => contentOf(document, entry, key) ?? []),
  );
  const counted = Map.groupBy(contents, ({ mediaType, schema }) => `${mediaType} ${JSON.stringify(schema)}`);
  return [...counted.values()].toSorted((one, other) => other.length - one.length)[0]?.[0];
}

function errorKeys({ operation }: OperationEntry): string[] {
  return Object.keys(operation.responses ?? {}).filter((key) => ERROR_KEY.test(key));
}

function contentOf(document: OpenApiDocument, { operation }: OperationEntry, key: string): ErrorContent | undefined {
  const { content = {} } = resolve<ResponseObject>(document, operation.responses![key]!);
  const types = Object.keys(content);
  const mediaType =
    types.find((type) => essenceOf(type) === "application/json") ??
    types.find((type) => isJson(essenceOf(type))) ??
    types.find((type) => essenceOf(type) === "text/plain");
  return mediaType === undefined ? undefined : { mediaType, schema: content[mediaType]!.schema ?? {} };
}
