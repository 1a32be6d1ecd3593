import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { effectiveSchema, isJson, type OpenApiDocument, propertiesOf } from "openapi-document";
import type { Check, Checked } from "./check-maker.ts";
import { encodeRequest, type ExampleRequest } from "./example-request.ts";
import { ConformanceError, exchange, isUnreachable, type Target } from "./exchange.ts";
import { declaredBody, type DeclaredBody, FORM, hasUnknown, isFileSchema, UNKNOWN } from "./request-body.ts";

/**
 * Checks uploads, which are bodies of bytes and of multipart forms: a file of a media type that its `encoding` does not name
 * is rejected, and a body that breaks off leaves the server responding.
 */
export function uploadChecks({ document, entry, responds, runs }: Checked): Check[] {
  const body = declaredBody(document, entry);
  if (body === undefined || isJson(body.essence) || body.essence === FORM) return [];
  const fileTypes = limitedFiles(document, body).map(([field, isList]) =>
    responds([400, 415], `400 for the file ${field} of another media type`, (request) => {
      const file = new Blob(["x"], { type: UNKNOWN });
      request.body!.value = { ...(request.body!.value as object), [field]: isList ? [file] : file };
    }),
  );
  const broken = runs("the server responds after a body that broke off", async (target, valid) => {
    try {
      await breakOff(target, valid());
      const { status } = await exchange(target, valid());
      if (status >= 500) throw new ConformanceError(`expected the response to a valid request, got ${status}`);
    } catch (error) {
      throw isUnreachable(error) ? new ConformanceError("expected a response, got no connection") : error;
    }
  });
  return [...fileTypes, broken];
}

/** Returns the fields of files whose media types are limited, and whether a field is a list of files. */
function limitedFiles(document: OpenApiDocument, body: DeclaredBody): [field: string, isList: boolean][] {
  if (body.essence !== "multipart/form-data") return [];
  return Object.entries(propertiesOf(body.schema)).flatMap(([field, node]) => {
    const { contentType } = body.encoding[field] ?? {};
    const own = effectiveSchema(document, node);
    const isList = own.items !== undefined;
    const isFile = isFileSchema(isList ? effectiveSchema(document, own.items) : own);
    const isLimited = contentType !== undefined && !hasUnknown(contentType.split(",").map((type) => type.trim()));
    return isFile && isLimited ? [[field, isList]] : [];
  });
}

const BOUNDARY = "----------------conformance";
/** The announced length, of which less arrives. */
const LENGTH = 1_000;

/** Sends the first bytes of a body, and closes the connection. */
async function breakOff(target: Target, request: ExampleRequest): Promise<void> {
  const { method, path, query, headers } = encodeRequest(request);
  const { contentType } = request.body!;
  const isMultipart = contentType.startsWith("multipart/");
  headers.set("Content-Type", isMultipart ? `${contentType}; boundary=${BOUNDARY}` : contentType);
  headers.set("Content-Length", String(LENGTH));
  const url = target.baseUrl + path + query;
  const send = url.startsWith("https:") ? httpsRequest : httpRequest;
  const sent = send(url, { method, headers: Object.fromEntries(headers), agent: false });
  sent.on("error", () => {});
  const closed = once(sent, "close").catch(() => {}); // the server may close the connection first
  const file = 'Content-Disposition: form-data; name="file"; filename="file"';
  sent.write(isMultipart ? `--${BOUNDARY}\r\n${file}\r\n\r\nhalf` : "half", () => sent.destroy());
  await closed;
}
