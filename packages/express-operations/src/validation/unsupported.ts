import {
  isVersion32,
  type OpenApiDocument,
  type OperationEntry,
  type ParameterObject,
  type RequestBodyObject,
  resolve,
  essenceOf,
} from "openapi-document";
import { kindOf, styleOf } from "../request/style.ts";

// An import of `node:http` would load Node's unused WebSocket and fetch, because it reads every export.
const { METHODS } = process.getBuiltinModule("node:http");

const SWAGGER_2 =
  "The document is Swagger 2.0, which is not served. Convert it to OpenAPI 3.0: npx swagger2openapi --outfile openapi.json swagger.json";

/** Throws for a document of another version than OpenAPI 3.0, 3.1 and 3.2. */
export function expectVersion(document: OpenApiDocument): void {
  const { openapi, swagger } = document as Partial<Record<"openapi" | "swagger", unknown>>;
  if (openapi === undefined && String(swagger).startsWith("2.")) throw new Error(SWAGGER_2);
  if (!/^3\.[012]\./.test(String(openapi)))
    throw new Error(`The document is OpenAPI ${String(openapi)}; only 3.0, 3.1 and 3.2 can be served.`);
}

/**
 * Returns what OpenAPI 3.2 allows in an operation and this package does not serve: one sentence each, with the remedy. The
 * bytes of a streamed body are not validated, so that all keywords are allowed there.
 */
export function unsupportedFeatures(
  document: OpenApiDocument,
  entry: OperationEntry,
  { isBodyStreamed = false } = {},
): string[] {
  if (!isVersion32(document)) return [];
  return [
    ...unsupportedMethod(entry),
    ...unsupportedParameters(document, entry),
    ...unsupportedBody(document, entry, isBodyStreamed),
  ].map((fault) => `Operation "${entry.id}" ${fault}`);
}

/** Node's parser rejects methods that it does not know. It passes CONNECT to no request handler. */
function unsupportedMethod({ method, additional }: OperationEntry): string[] {
  const sent = additional ?? method.toUpperCase();
  if (!METHODS.includes(sent) || sent === "CONNECT")
    return [`has the method ${sent}, which Node's HTTP server does not accept: use one of node:http's METHODS.`];
  if (additional !== undefined && FIXED.has(method))
    return [`has the method ${sent} in additionalOperations: move it to the field ${method}.`];
  return [];
}

const FIXED = new Set(["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"]);

function unsupportedParameters(document: OpenApiDocument, { parameters }: OperationEntry): string[] {
  const faults: string[] = [];
  const whole = parameters.filter((parameter) => parameter.in === "querystring");
  const [first] = whole;
  if (whole.length > 1) faults.push(`has ${whole.length} parameters in querystring: declare one.`);
  if (first !== undefined && parameters.some((parameter) => parameter.in === "query"))
    faults.push(`has parameters in query and "${first.name}" in querystring: declare the query in one of them.`);
  if (whole.some(({ content }) => Object.keys(content ?? {}).length !== 1))
    faults.push(`has the querystring parameter "${first!.name}" without one media type: give it content.`);
  for (const parameter of parameters)
    if (isExplodedCookie(document, parameter))
      faults.push(
        `has the cookie parameter "${parameter.name}" of several cookies by style cookie: set explode to false.`,
      );
  return faults;
}

function isExplodedCookie(document: OpenApiDocument, parameter: ParameterObject): boolean {
  const { style, explode } = styleOf(parameter);
  return style === "cookie" && explode && kindOf(document, parameter.schema) !== "scalar";
}

/** Keywords of media types in requests that would otherwise be ignored, so that invalid bodies were accepted. */
const UNREAD = ["itemSchema", "prefixEncoding", "itemEncoding"] as const;

function unsupportedBody(document: OpenApiDocument, { operation }: OperationEntry, isStreamed: boolean): string[] {
  const { content = {} } = resolve<RequestBodyObject>(document, operation.requestBody ?? {});
  return Object.entries(content).flatMap(([mediaType, media]) => {
    const isForm = essenceOf(mediaType) === "multipart/form-data";
    if (isStreamed && !isForm) return [];
    const nested = Object.values(media.encoding ?? {}).some((encoding) =>
      UNREAD_OF_PARTS.some((key) => key in encoding),
    );
    const found = UNREAD.filter((key) => key in media);
    const keys = nested ? [...found, "an encoding in an encoding"] : found;
    const remedy = isForm ? "remove it." : "remove it, or give its handler the option `streamsBody`.";
    return keys.map((key) => `has ${key} in its request body ${mediaType}, which is not validated: ${remedy}`);
  });
}

const UNREAD_OF_PARTS = ["encoding", "prefixEncoding", "itemEncoding"];
