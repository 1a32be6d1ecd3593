import { resolve } from "node:path";

/** The root of the repository. */
export const ROOT = resolve(import.meta.dirname, "../../..");

/** The source file of the contract. */
export const CONTRACT_FILE = resolve(ROOT, "openapi/openapi.yaml");

/** The configuration of the contract's lint rules. */
export const LINT_CONFIG = resolve(ROOT, "openapi/redocly.yaml");
