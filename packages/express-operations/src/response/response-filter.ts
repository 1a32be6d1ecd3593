import {
  type OpenApiDocument,
  type OperationEntry,
  resolve,
  type ResponseObject,
  responseKey,
} from "../document/document.ts";
import {
  type HandlerResponse,
  type DeclaredResponse,
  dropUndeclared,
  type ResponseFilter,
  responseFilter,
} from "./respond.ts";
import { type CheckedShare, responseCheck, type Violation } from "./response-check.ts";

/** Which responses are checked, and the callback for violations. */
export interface ResponseChecking {
  share: CheckedShare;
  onViolation: (violation: Violation) => void;
}

/** Builds the response filter of one operation. */
export async function buildResponseFilter(
  document: OpenApiDocument,
  entry: OperationEntry,
  checking: ResponseChecking,
): Promise<ResponseFilter> {
  const byKey = new Map<string, DeclaredResponse>();
  for (const [key, node] of Object.entries(entry.operation.responses ?? {})) {
    byKey.set(key, declaredResponseOf(document, resolve<ResponseObject>(document, node)));
  }
  const share = shareOf(checking.share);
  const check = share > 0 ? await responseCheck(document, entry) : undefined;
  return responseFilter({
    operationId: entry.id,
    find: (status) => byKey.get(responseKey(entry, status) ?? ""),
    share,
    check: async (declaredResponse, response) => {
      const violations = (await check?.(response)) ?? [];
      for (const violation of [...violations, ...undeclaredHeaders(entry.id, declaredResponse, response)])
        checking.onViolation(violation);
    },
  });
}

function declaredResponseOf(
  document: OpenApiDocument,
  { headers = {}, content = {} }: ResponseObject,
): DeclaredResponse {
  return {
    headers: new Set(Object.keys(headers).map((name) => name.toLowerCase())),
    contentTypes: Object.keys(content),
    filterBody: new Map(Object.entries(content).map(([type, { schema }]) => [type, dropUndeclared(document, schema)])),
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
