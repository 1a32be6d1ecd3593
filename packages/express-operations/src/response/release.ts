import { keepDeclared, type KeepDeclared } from "./declared-fields.ts";
import {
  type OpenApiDocument,
  type OperationEntry,
  resolve,
  type ResponseObject,
  responseKey,
} from "../document/document.ts";
import { declaredAs, parseMediaType } from "../media-type.ts";
import type { Answer } from "./respond.ts";
import { type CheckedShare, responseCheck, type Violation } from "./response-check.ts";

/**
 * What a handler returned, on its way out: known to be declared, its media type said, freed of undeclared fields. At once
 * where nothing is checked.
 */
export type Release = (answer: Answer) => Answer | Promise<Answer>;

/** Which answers are checked, and who is told what a check finds. */
export interface Checking {
  share: CheckedShare;
  onViolation: (violation: Violation) => void;
}

interface DeclaredResponse {
  /** The names of its headers, in lower case. */
  headers: Set<string>;
  contentTypes: string[];
  keep: Map<string, KeepDeclared>;
}

/** The way out of one operation. A status or media type that is not declared is a fault of the handler, and thrown. */
export async function releaseOf(
  document: OpenApiDocument,
  entry: OperationEntry,
  checking: Checking,
): Promise<Release> {
  const declared = new Map<string, DeclaredResponse>();
  for (const [key, node] of Object.entries(entry.operation.responses ?? {})) {
    declared.set(key, declaredResponse(document, resolve<ResponseObject>(document, node)));
  }
  const share = shareOf(checking.share);
  const check = share > 0 ? await responseCheck(document, entry) : undefined;

  return (returned) => {
    const response = declared.get(responseKey(entry, returned.status) ?? "");
    if (response === undefined) {
      throw new Error(`Operation "${entry.id}" answered ${returned.status}, which the document does not declare.`);
    }
    const [only] = response.contentTypes;
    const contentType = returned.contentType ?? only;
    const declaredType = contentType && declaredKey(contentType, response.contentTypes);
    if (
      returned.body !== undefined &&
      contentType !== undefined &&
      (declaredType === undefined || contentType.includes("*"))
    ) {
      throw new Error(
        `Operation "${entry.id}" answered ${returned.status} as ${contentType}, which is no media type the document declares.`,
      );
    }
    const keep = response.keep.get(declaredType ?? "");
    const declaredOnly = (): Answer => {
      const { status } = returned;
      const headers = declaredHeaders(response, returned.headers);
      if (keep === undefined || contentType === undefined) return { status, headers };
      return { status, headers, contentType, body: keep(returned.body) };
    };
    if (check === undefined || (share < 1 && Math.random() >= share)) return declaredOnly();
    const answer = { ...returned, ...(declaredType !== undefined && { contentType: declaredType }) };
    return check(answer).then((violations) => {
      for (const violation of [...violations, ...undeclaredHeaders(entry.id, response, answer)])
        checking.onViolation(violation);
      return declaredOnly();
    });
  };
}

function declaredResponse(document: OpenApiDocument, { headers = {}, content = {} }: ResponseObject): DeclaredResponse {
  return {
    headers: new Set(Object.keys(headers).map((name) => name.toLowerCase())),
    contentTypes: Object.keys(content),
    keep: new Map(Object.entries(content).map(([type, { schema }]) => [type, keepDeclared(document, schema)])),
  };
}

function undeclaredHeaders(
  operationId: string,
  response: DeclaredResponse,
  { status, headers = {} }: Answer,
): Violation[] {
  const names = Object.keys(headers).filter((name) => !response.headers.has(name.toLowerCase()));
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

function declaredHeaders(response: DeclaredResponse, headers: Answer["headers"]): NonNullable<Answer["headers"]> {
  const declared: NonNullable<Answer["headers"]> = {};
  for (const name in headers) if (response.headers.has(name.toLowerCase())) declared[name] = headers[name];
  return declared;
}

function declaredKey(contentType: string, declared: string[]): string | undefined {
  if (declared.includes(contentType)) return contentType;
  const type = parseMediaType(contentType);
  return type && declaredAs(type, declared);
}

function shareOf(share: CheckedShare): number {
  if (share === "off") return 0;
  return share === "always" ? 1 : share.sample;
}
