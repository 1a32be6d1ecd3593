import {
  ERROR_KEY,
  type OpenApiDocument,
  type OperationEntry,
  operationsOf,
  resolve,
  type ResponseObject,
  responseKey,
  type Schema,
  readableDocument,
} from "openapi-document";
import { type ErrorWriter, errorWriter } from "./error-writer.ts";
import { Problem, type ProblemContext, type ProblemResponse, problemResponse } from "../problem.ts";

/** The media type and the schema of an error response. */
interface ErrorContent {
  mediaType: string;
  schema: Schema;
}

/** Writes the bodies of error responses with one content. */
interface ContentWriter {
  mediaType: string;
  write: ErrorWriter;
}

/**
 * Returns a `problemFormat` that writes each error in the schema that the operation declares for its status. Fields with
 * common names hold code, message and status; lists hold the faults of a request; other required fields hold their examples.
 * An error with an undeclared status has the schema that most errors of the document have. An error of no operation has the one
 * that most operations of its path (405), or of the document, declare for its status. Where this schema can hold no fact, the
 * error is `{ code, message, status }`. An invalid request gets 422 if the operation declares that status, and neither 400
 * nor `4XX` nor `default`. Each schema is read once, at its first error.
 */
export function declaredErrors(given: OpenApiDocument): (problem: Problem, context: ProblemContext) => ProblemResponse {
  const document = readableDocument(given);
  const entries = new Map(operationsOf(document).map((entry) => [entry.id, entry]));
  const writerOf = (content: ErrorContent | undefined): ContentWriter | undefined =>
    content && { mediaType: content.mediaType, write: errorWriter(document, content.mediaType, content.schema) };
  const usual = writerOf(usualError(document, [...entries.values()]));
  const byPath = new Map<string, ContentWriter | undefined>();
  const declared = new Map(Array.from(entries.keys(), (id) => [id, new Map<number, ContentWriter | undefined>()]));

  function writerFor(operationId: string, status: number): ContentWriter | undefined {
    const known = declared.get(operationId);
    if (known === undefined) return usual;
    if (!known.has(status)) {
      const entry = entries.get(operationId)!;
      const key = responseKey(entry, status);
      known.set(status, key === undefined ? usual : writerOf(contentOf(document, entry, key)));
    }
    return known.get(status);
  }

  /** Returns the writer for an error of no operation: as the operations of its path, or of the document, declare the status. */
  function writerOfPath(path: string | undefined, status: number): ContentWriter | undefined {
    const name = `${status} ${path ?? ""}`;
    if (!byPath.has(name)) {
      const near = [...entries.values()].filter((entry) => path === undefined || entry.path === path);
      const content =
        usualError(document, near, (entry) => responseKey(entry, status) ?? []) ?? usualError(document, near);
      byPath.set(name, content === undefined ? usual : writerOf(content));
    }
    return byPath.get(name);
  }

  return (raised, context) => {
    const entry = context.operationId === undefined ? undefined : entries.get(context.operationId);
    const problem = entry === undefined ? raised : withDeclaredStatus(raised, entry);
    const { status } = problem;
    const writer = entry === undefined ? writerOfPath(context.path, status) : writerFor(entry.id, status);
    const body = writer?.write(problem);
    if (writer === undefined || body === undefined) return { status, ...problemResponse(problem, "declared", context) };
    return { status, contentType: writer.mediaType, body };
  };
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
    types.find((type) => /^application\/json\b/i.test(type)) ??
    types.find((type) => /^application\/(?:[\w.-]+\+)?json\b/i.test(type)) ??
    types.find((type) => /^text\/plain\b/i.test(type));
  return mediaType === undefined ? undefined : { mediaType, schema: content[mediaType]!.schema ?? {} };
}
