import { type OpenApiDocument, type OperationEntry, parameterNames } from "openapi-document";
import { type GivenHandler, optionsOf, passOn } from "./handler.ts";
import { typeName } from "./lists.ts";
import { unsupportedFeatures } from "./validation/unsupported.ts";
import { schemeNamesOf } from "./security/security.ts";

/**
 * Returns the mismatches between a document and its implementation. Each is one sentence with the operation and the
 * remedy.
 */
export function findMismatches(
  document: OpenApiDocument,
  entries: OperationEntry[],
  handlers: Record<string, GivenHandler | undefined>,
  security: Record<string, unknown>,
): string[] {
  const faults: string[] = [];
  const seen = new Set<string>();
  const signatures = new Map<string, OperationEntry>();
  for (const entry of entries) {
    const { id } = entry;
    if (seen.has(id)) faults.push(`The document has two operations "${id}": rename one.`);
    seen.add(id);
    const signature = `${entry.method} ${entry.path.replaceAll(/\{[^}]+\}/g, "{}")}`;
    const other = signatures.get(signature);
    if (other !== undefined)
      faults.push(
        `Operations "${other.id}" and "${id}" have the same method and path, because parameter names do not count (${other.path} and ${entry.path}): remove one, or change its path.`,
      );
    signatures.set(signature, entry);
    const names = parameterNames(entry.path);
    for (const { in: where, name } of entry.parameters) {
      if (where !== "path" || names.includes(name)) continue;
      faults.push(
        `Operation "${id}" has a path parameter "${name}" that its path ${entry.path} does not name: correct one.`,
      );
    }
    const given = Object.hasOwn(handlers, id) ? handlers[id] : undefined;
    if (given === passOn) continue;
    const { handler, streamsBody = false } = optionsOf(given);
    faults.push(...unsupportedFeatures(document, entry, { isBodyStreamed: streamsBody }));
    if (given === undefined) faults.push(`Operation "${id}" has no handler: add one to the handlers.`);
    else if (typeof handler !== "function")
      faults.push(`The handler of operation "${id}" is ${typeName(handler)}: give it a function.`);
    for (const scheme of schemeNamesOf(document, entry)) {
      const verify = Object.hasOwn(security, scheme) ? security[scheme] : undefined;
      if (verify === undefined)
        faults.push(`Operation "${id}" needs the security scheme "${scheme}": add its handler to \`security\`.`);
      else if (typeof verify !== "function")
        faults.push(`The handler of the security scheme "${scheme}" is ${typeName(verify)}: give it a function.`);
    }
  }
  for (const id of Object.keys(handlers)) {
    if (!seen.has(id))
      faults.push(`Handler "${id}" has no operation: remove it, or add the operation to the document.`);
  }
  return [...new Set(faults)];
}
