/** The contract: its types by name, its version, hash, scopes and base path. The entry `document` exports the document, `code-samples` calls of it, and `changelog` its changes. */
export type * from "./generated/names.ts";
/** The operations as handlers get them: a parameter or field with a default is always present. */
export type { operations as OperationsWithDefaults } from "./generated/operations-with-defaults.ts";
export type { components, operations, paths } from "./generated/schema.ts";
export { basePath, curlExamples, hash, scopes, version } from "./generated/metadata.ts";
