import type { OperationEntry, RequestBodyObject } from "./document.ts";

/**
 * Returns whether requests must have a body. `required` does not apply to GET and HEAD: their content has no defined
 * semantics (RFC 9110, sections 9.3.1 and 9.3.2), and many clients cannot send it.
 */
export function isBodyRequired({ method }: OperationEntry, requestBody: RequestBodyObject | undefined): boolean {
  return requestBody?.required === true && method !== "get" && method !== "head";
}
