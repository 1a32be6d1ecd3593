import { type OperationEntry, parameterNames } from "openapi-document";

/**
 * Returns the headers of a deprecated operation: `Deprecation` (RFC 9745) from `x-deprecated-at`, `Sunset` (RFC 8594)
 * from `x-sunset`, both dates, and `Link: rel="successor-version"` (RFC 5829) to the operation that `x-successor`
 * names.
 */
export function deprecationOf(entry: OperationEntry, entries: OperationEntry[]): Deprecation | undefined {
  const { deprecated, "x-deprecated-at": since, "x-sunset": sunset, "x-successor": successor } = entry.operation;
  if (deprecated !== true) return undefined;
  const headers: Record<string, string> = {};
  if (since !== undefined) headers["Deprecation"] = `@${dateOf(entry, "x-deprecated-at", since).getTime() / 1000}`;
  if (sunset !== undefined) headers["Sunset"] = dateOf(entry, "x-sunset", sunset).toUTCString();
  if (successor === undefined) return { headers };
  const target = entries.find((candidate) => candidate.id === successor);
  if (target === undefined) {
    throw new Error(`Operation "${entry.id}": x-successor names "${successor}", which the document does not have.`);
  }
  const unknown = parameterNames(target.path).find((name) => !parameterNames(entry.path).includes(name));
  if (unknown !== undefined) {
    throw new Error(
      `Operation "${entry.id}": the path of its x-successor has a parameter "${unknown}" that its own path lacks.`,
    );
  }
  return { headers, successorPath: target.path };
}

/** The deprecation headers of an operation. */
export interface Deprecation {
  headers: Record<string, string>;
  /** The path template of the successor, below the mount point. The deprecated operation has all its parameters. */
  successorPath?: string;
}

function dateOf(entry: OperationEntry, field: string, text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) {
    throw new Error(`Operation "${entry.id}": ${field} is not a date such as 2030-12-05.`);
  }
  return date;
}
