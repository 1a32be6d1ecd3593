import { hash } from "node:crypto";

/** The maximum number of named statements. Each connection keeps the plans of those that it has run. */
const MAX_NAMES = 1_000;

const NAMES = new Map<string, string>();

/**
 * Names a statement, so that each connection parses it once. The name is a hash of its text: even a pooler that shares
 * connections between programs cannot run another statement under it.
 */
export function nameStatement(text: string): void {
  if (NAMES.size < MAX_NAMES) NAMES.set(text, hash("sha256", text, "base64url"));
}

/** Returns the name of a statement, or undefined if it has none. */
export function statementName(text: string): string | undefined {
  return NAMES.get(text);
}
