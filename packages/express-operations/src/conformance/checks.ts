import { type OpenApiDocument, type OperationEntry, operationsOf, readableDocument } from "openapi-document";
import { PathRouter } from "../request/path-router.ts";
import { authenticationChecks } from "./authentication-checks.ts";
import { type Check, checkMaker } from "./check-maker.ts";
import { contentChecks, type Limits, streamChecks } from "./content-checks.ts";
import { deprecationChecks } from "./deprecation-checks.ts";
import { type DeclaredPaths, methodChecks } from "./method-checks.ts";
import { negativeInputs } from "./negative-inputs.ts";
import { rangeChecks } from "./range-checks.ts";
import { uploadChecks } from "./upload-checks.ts";

/**
 * Returns the checks that a document implies for each operation: declared responses, authentication before anything
 * else, HEAD, OPTIONS, 404, 405, 406, 413, 415, deprecation headers (RFC 9110, RFC 6750, RFC 9745, RFC 8594), streams,
 * ranges, uploads, and 400 for obvious invalid input.
 */
export function conformanceChecks(given: OpenApiDocument, limits: Limits = {}): Check[] {
  const document = readableDocument(given);
  const entries = operationsOf(document).filter(({ method }) => method !== "trace"); // `fetch` sends none
  const paths: DeclaredPaths = new PathRouter();
  for (const { path, method } of entries) paths.route(path, () => []).push(method.toUpperCase());
  return entries.flatMap((entry) => {
    try {
      return checksOf(document, entry, limits, paths);
    } catch (error) {
      return [{ operationId: entry.id, title: "its checks can be derived", run: () => Promise.reject(error) }];
    }
  });
}

function checksOf(document: OpenApiDocument, entry: OperationEntry, limits: Limits, paths: DeclaredPaths): Check[] {
  const check = checkMaker(document, entry);
  return [
    check.accepts("a valid request is accepted"),
    ...authenticationChecks(document, entry, check),
    ...methodChecks(document, entry, check, paths),
    ...contentChecks(document, entry, check, limits),
    ...deprecationChecks(entry, check),
    ...streamChecks(document, entry, check),
    ...rangeChecks(document, entry),
    ...uploadChecks(document, entry, check),
    ...negativeInputs(document, entry).map(({ title, apply }) => check.responds([400], `400 for ${title}`, apply)),
  ];
}
