/** Rules of OpenAPI itself. Without them, a contract has no meaning or two, so nothing can be generated from it. */
const STRUCTURE_RULES = new Set([
  "struct",
  "no-unresolved-refs",
  "no-identical-paths",
  "no-enum-type-mismatch",
  "no-schema-type-mismatch",
  "no-server-variables-empty-enum",
  "no-undefined-server-variable",
  "operation-operationId-unique",
  "operation-parameters-unique",
  "path-declaration-must-exist",
  "path-not-include-query",
  "path-parameters-defined",
  "security-defined",
  "spec-components-invalid-map-name",
  "platform/pattern-is-valid",
  "platform/servers-share-path",
]);

/** Returns whether a contract that breaks a rule is invalid. All other rules are of style. */
export function isStructureRule(rule: string): boolean {
  return STRUCTURE_RULES.has(rule);
}
