import {
  type HeaderObject,
  type MediaTypeObject,
  type OpenApiDocument,
  type OperationEntry,
  resolve,
  type ResponseObject,
  responseKey,
  essenceOf,
  isJson,
} from "openapi-document";
import { isRawJson, type Serialize, serializerOf } from "../conversions.ts";
import { extensionsOf } from "../formats.ts";
import type { HandlerResponse } from "./handler-response.ts";
import { itemFormat } from "./item-format.ts";
import {
  type DeclaredContent,
  type DeclaredResponse,
  type DeclaredResponses,
  dropUndeclared,
  type ResponseFilter,
  responseFilter,
} from "./respond.ts";
import { type CheckedShare, type ResponseCheck, responseCheck, type Violation } from "./response-check.ts";

/** Which responses are checked, and the callback for violations. */
export interface ResponseChecking {
  share: CheckedShare;
  onViolation: (violation: Violation) => void;
}

export function buildResponseFilter(
  document: OpenApiDocument,
  entry: OperationEntry,
  checking: ResponseChecking,
): ResponseFilter {
  const share = shareOf(checking.share);
  let compiled = share === 1 ? responseCheck(document, entry) : undefined;
  const checks = (): ResponseCheck => (compiled ??= compileLater(document, entry));
  return responseFilter({
    operationId: entry.id,
    find: declaredResponses(document, entry),
    share,
    check: (declaredResponse, response) => {
      const violations = checks().response(response);
      for (const violation of [...violations, ...undeclaredHeaders(entry.id, declaredResponse, response)])
        checking.onViolation(violation);
    },
    checkItem: (response, index, value) => {
      for (const violation of checks().item(response, index, value)) checking.onViolation(violation);
    },
  });
}

/** Compiles the check of a sample. A response must not fail because its schema does not compile: it is not checked then. */
function compileLater(document: OpenApiDocument, entry: OperationEntry): ResponseCheck {
  try {
    return responseCheck(document, entry);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.emitWarning(`The responses of "${entry.id}" are not checked: ${reason}`, { code: "UNCHECKED_RESPONSES" });
    return { response: () => [], item: () => [] };
  }
}

export function declaredResponses(document: OpenApiDocument, entry: OperationEntry): DeclaredResponses["find"] {
  const byKey = new Map<string, DeclaredResponse>();
  for (const [key, node] of Object.entries(entry.operation.responses ?? {})) {
    byKey.set(key, declaredResponseOf(document, resolve<ResponseObject>(document, node)));
  }
  return (status) => byKey.get(responseKey(entry, status) ?? "");
}

function declaredResponseOf(
  document: OpenApiDocument,
  { headers = {}, content = {} }: ResponseObject,
): DeclaredResponse {
  return {
    headers: new Set(Object.keys(headers).map((name) => name.toLowerCase())),
    contentTypes: Object.keys(content),
    serialize: extensionsOf(document) && responseSerializer(document, headers, content),
    content: new Map(Object.entries(content).map(([type, media]) => [type, declaredContentOf(document, type, media)])),
  };
}

/** Returns the conversion of a response, or undefined if there is nothing to convert. */
function responseSerializer(
  document: OpenApiDocument,
  headers: NonNullable<ResponseObject["headers"]>,
  content: NonNullable<ResponseObject["content"]>,
): DeclaredResponse["serialize"] {
  const byHeader = new Map<string, Serialize>();
  for (const [name, node] of Object.entries(headers)) {
    const serialize = serializerOf(document, resolve<HeaderObject>(document, node).schema);
    if (serialize !== undefined) byHeader.set(name.toLowerCase(), serialize);
  }
  const byType = new Map<string, Serialize>();
  for (const [type, media] of Object.entries(content)) {
    const isWhole = isJson(essenceOf(type)) && itemFormat(document, type, media) === undefined;
    const serialize = isWhole ? serializerOf(document, media.schema) : undefined;
    if (serialize !== undefined) byType.set(type, serialize);
  }
  if (byHeader.size + byType.size === 0) return undefined;
  const headerOf = (name: string, value: unknown) => {
    const serialized = byHeader.get(name.toLowerCase())?.(value) ?? value;
    return isRawJson(serialized) ? JSON.stringify(serialized) : serialized;
  };
  return ({ headers: given = {}, ...response }, declaredType = "") => {
    const serialize = byType.get(declaredType);
    const own = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, headerOf(name, value)]));
    return {
      ...response,
      headers: own as NonNullable<HandlerResponse["headers"]>,
      ...(serialize && { body: serialize(response.body) }),
    };
  };
}

function declaredContentOf(document: OpenApiDocument, type: string, media: MediaTypeObject): DeclaredContent {
  const items = itemFormat(document, type, media);
  return {
    isJson: isJson(essenceOf(type)),
    filterBody: dropUndeclared(document, items === undefined ? media.schema : undefined),
    items: items && {
      ...items,
      filter: dropUndeclared(document, items.schema),
      serialize: serializerOf(document, items.schema),
    },
  };
}

function undeclaredHeaders(
  operationId: string,
  declared: DeclaredResponse,
  { status, headers = {} }: HandlerResponse,
): Violation[] {
  const names = Object.keys(headers).filter((name) => !declared.headers.has(name.toLowerCase()));
  return names.map((name) => {
    return {
      operationId,
      status,
      pointer: `/headers/${name}`,
      message: "is not declared",
      valueType: typeof headers[name],
    };
  });
}

function shareOf(share: CheckedShare): number {
  if (share === "off") return 0;
  return share === "always" ? 1 : share.sample;
}
