import {
  type OpenApiDocument,
  type OperationEntry,
  type RequestBodyObject,
  resolve,
  type ResponseObject,
} from "../document.ts";
import type { Change, Check, Limits, MakeCheck } from "./checks.ts";
import { expectHeader, expectStatus } from "./exchange.ts";

/** Media types, encodings and sizes that are not declared are refused with their own status (RFC 9110, section 15.5). */
export function contentChecks(
  document: OpenApiDocument,
  entry: OperationEntry,
  check: MakeCheck,
  { bodyLimit }: Limits,
): Check[] {
  const checks: Check[] = [];
  const successes = Object.entries(entry.operation.responses ?? {}).filter(([status]) => status.startsWith("2"));
  if (successes.some(([, node]) => Object.keys(resolve<ResponseObject>(document, node).content ?? {}).length > 0)) {
    checks.push(
      check(
        "406 when nothing it answers with is acceptable",
        (request) => (request.headers["Accept"] = "application/x-unknown"),
        (received) => expectStatus(received, 406),
      ),
    );
  }
  const requestBody = resolve<RequestBodyObject>(document, entry.operation.requestBody ?? {});
  if (requestBody.content === undefined || "*/*" in requestBody.content) return checks;
  checks.push(
    check(
      "415 for a media type that is not declared",
      (request) => (request.body!.contentType = "application/x-unknown"),
      (received) => expectStatus(received, 415),
    ),
    check(
      "415 for a compressed body",
      (request) => (request.headers["Content-Encoding"] = "gzip"),
      (received) => expectStatus(received, 415),
    ),
  );
  if (bodyLimit === undefined) return checks;
  const pad: Change = (request) => (request.body!.value = { padding: "x".repeat(bodyLimit) });
  return [...checks, check("413 for a body over the limit", pad, (received) => expectStatus(received, 413))];
}

/** A deprecated operation says so (RFC 9745, RFC 8594). */
export function deprecationChecks(entry: OperationEntry, check: MakeCheck): Check[] {
  const { deprecated, "x-deprecated-at": since, "x-sunset": sunset, "x-successor": successor } = entry.operation;
  if (deprecated !== true) return [];
  return [
    check(
      "its deprecation is announced",
      () => {},
      (received) => {
        if (since !== undefined) expectHeader(received, "Deprecation", /^@\d+$/);
        if (sunset !== undefined) expectHeader(received, "Sunset", /GMT$/);
        if (successor !== undefined) expectHeader(received, "Link", /rel="successor-version"/);
      },
    ),
  ];
}
