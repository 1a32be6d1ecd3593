import { keepDeclared, type KeepDeclared } from "./declared-fields.ts";
import { type OpenApiDocument, type OperationEntry, resolve, type ResponseObject, responseKey } from "./document.ts";
import type { Answer } from "./respond.ts";
import { type CheckedShare, responseCheck, type Violation } from "./response-check.ts";

/** What a handler returned, on its way out: known to be declared, its media type said, freed of undeclared fields. */
export type Release = (answer: Answer) => Promise<Answer>;

export interface Checking {
  share: CheckedShare;
  onViolation: (violation: Violation) => void;
}

interface DeclaredResponse {
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
    const { content = {} } = resolve<ResponseObject>(document, node);
    const keep = Object.entries(content).map(([type, { schema }]) => [type, keepDeclared(document, schema)] as const);
    declared.set(key, { contentTypes: Object.keys(content), keep: new Map(keep) });
  }
  const share = shareOf(checking.share);
  const check = share > 0 ? await responseCheck(document, entry) : undefined;

  return async (returned) => {
    const response = declared.get(responseKey(entry, returned.status) ?? "");
    if (response === undefined) {
      throw new Error(`Operation "${entry.id}" answered ${returned.status}, which the document does not declare.`);
    }
    const contentType = returned.contentType ?? response.contentTypes[0];
    const answer: Answer = { ...returned, ...(contentType !== undefined && { contentType }) };
    if (check !== undefined && (share === 1 || Math.random() < share)) {
      for (const violation of await check(answer)) checking.onViolation(violation);
    }
    const keep = response.keep.get(contentType ?? "");
    if (keep === undefined) {
      if (answer.body === undefined || response.contentTypes.length === 0) return { ...answer, body: undefined };
      throw new Error(
        `Operation "${entry.id}" answered ${answer.status} as ${contentType}, which the document does not declare.`,
      );
    }
    return { ...answer, body: keep(answer.body) };
  };
}

function shareOf(share: CheckedShare): number {
  if (share === "off") return 0;
  return share === "always" ? 1 : share.sample;
}
