import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { type OpenApiDocument, type OperationEntry, effectiveSchema, propertiesOf, isJson } from "openapi-document";
import { declaredAs, parseMediaType } from "../media-type.ts";
import type { Check, CheckMaker } from "./check-maker.ts";
import { UNKNOWN } from "./content-checks.ts";
import { type ExampleRequest, exampleRequest, pathOf } from "./example-request.ts";
import { ConformanceError, exchange, headersOf, isUnreachable, queryOf, type Target } from "./exchange.ts";
import { declaredBody, type DeclaredBody, FORM, isFileSchema } from "./request-body.ts";

/**
 * Checks uploads, which are bodies of bytes and of multipart forms: a file of a media type that its `encoding` does not name
 * is rejected, and a body that breaks off leaves the server responding.
 */
export function uploadChecks(document: OpenApiDocument, entry: OperationEntry, check: CheckMaker): Check[] {
  const body = declaredBody(document, entry);
  if (body === undefined || isJson(body.essence) || body.essence === FORM) return [];
  return [...fileTypeChecks(document, body, check), brokenBodyCheck(document, entry)];
}

function fileTypeChecks(document: OpenApiDocument, { essence, schema, encoding }: DeclaredBody, check: CheckMaker) {
  if (essence !== "multipart/form-data") return [];
  return Object.entries(propertiesOf(schema)).flatMap(([field, node]) => {
    const { contentType } = encoding[field] ?? {};
    const own = effectiveSchema(document, node);
    const isList = own.items !== undefined;
    const isFile = isFileSchema(isList ? effectiveSchema(document, own.items) : own);
    const allowed = contentType?.split(",").map((type) => type.trim());
    if (!isFile || allowed === undefined || declaredAs(parseMediaType(UNKNOWN)!, allowed) !== undefined) return [];
    return check.responds([400, 415], `400 for the file ${field} of another media type`, ({ body }) => {
      const file = new Blob(["x"], { type: UNKNOWN });
      body!.value = { ...(body!.value as object), [field]: isList ? [file] : file };
    });
  });
}

const BROKEN = "the server responds after a body that broke off";

function brokenBodyCheck(document: OpenApiDocument, entry: OperationEntry): Check {
  const run = async (target: Target): Promise<void> => {
    const request = exampleRequest(document, entry, target.credentials?.(entry.id));
    try {
      await breakOff(target, request);
      const { status } = await exchange(target, request);
      if (status >= 500) throw new ConformanceError(`expected the response to a valid request, got ${status}`);
    } catch (error) {
      if (!(error instanceof ConformanceError) && !isUnreachable(error)) throw error;
      const fault = error instanceof ConformanceError ? error.message : "expected a response, got no connection";
      throw new ConformanceError(`${entry.id}: ${BROKEN}: ${fault}`);
    }
  };
  return { operationId: entry.id, title: BROKEN, run };
}

const BOUNDARY = "----------------conformance";
/** The announced length, of which less arrives. */
const LENGTH = 1_000;

/** Sends the first bytes of a body, and closes the connection. */
async function breakOff(target: Target, request: ExampleRequest): Promise<void> {
  const { contentType } = request.body!;
  const isMultipart = contentType.startsWith("multipart/");
  const headers = headersOf(request, isMultipart ? `${contentType}; boundary=${BOUNDARY}` : contentType);
  headers.set("Content-Length", String(LENGTH));
  const url = target.baseUrl + pathOf(request) + queryOf(request);
  const send = url.startsWith("https:") ? httpsRequest : httpRequest;
  const sent = send(url, { method: request.method, headers: Object.fromEntries(headers), agent: false });
  sent.on("error", () => {});
  const closed = once(sent, "close").catch(() => {}); // the server may close the connection first
  const file = 'Content-Disposition: form-data; name="file"; filename="file"';
  sent.write(isMultipart ? `--${BOUNDARY}\r\n${file}\r\n\r\nhalf` : "half", () => sent.destroy());
  await closed;
}
