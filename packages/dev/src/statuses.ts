import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type OpenApiDocument, operationsOf } from "openapi-document";
import type { Diagnostic } from "./typecheck.ts";

/** A response that does not fit the type of its operation: the status, and the operationId. */
const RESPONSE = /\bstatus: (\d{3})\b.* is not assignable to type 'ResponseOf<"([^"]+)"/;

/**
 * Returns a type error about a response with a status that its operation does not declare as an error that names the declared
 * ones, at the line of the status. Returns any other error as it is.
 */
export function withDeclaredStatuses(diagnostic: Diagnostic, document: OpenApiDocument, root: string): Diagnostic {
  const [, status = "", id] =
    diagnostic.message.map((line) => RESPONSE.exec(line)).find((match) => match !== null) ?? [];
  const declared = operationsOf(document).find((entry) => entry.id === id)?.operation.responses;
  if (declared === undefined || Object.hasOwn(declared, status) || Object.hasOwn(declared, `${status[0]}XX`))
    return diagnostic;
  const { default: other, ...own } = declared;
  const list = Object.keys(own).join(", ");
  const rest = other === undefined ? "" : ", and `default` for errors";
  const message = [`${id} returns status ${status}, which the contract does not declare. It declares ${list}${rest}.`];
  return { ...diagnostic, message, ...placeOf(status, diagnostic, root) };
}

/** The place of the status in the code of the handler. */
function placeOf(status: string, { file, line, column }: Diagnostic, root: string): { line: number; column: number } {
  const lines = readFileSync(join(root, file), "utf8").split("\n");
  const at = lines.findIndex((text, index) => index >= line - 1 && text.includes(`status: ${status}`));
  return at === -1 ? { line, column } : { line: at + 1, column: lines[at]!.indexOf(`status: ${status}`) + 1 };
}
