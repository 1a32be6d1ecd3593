import type { BodyWriter } from "./request/body.ts";
import type { Parameter } from "./request/parameter.ts";

/**
 * An operation of a contract, as the generator writes it. `Args` are the arguments of its calls and `Result` is the union of
 * its results; both exist as types only.
 */
export interface Operation<Args extends unknown[] = never, Result = unknown> extends OperationDescription {
  readonly types?: (...args: Args) => Result;
}

/** An operation whose results are read page by page. */
export interface PagedOperation<Args extends unknown[] = never, Result = unknown, Item = unknown> extends Operation<
  Args,
  Result
> {
  readonly pages: Pagination;
  readonly item?: (item: Item) => void;
}

/** The description of an operation that a call needs. */
export interface OperationDescription {
  /** The operationId, or the method and the path. */
  readonly id: string;
  readonly method: string;
  /** The path template, such as `/pets/{petId}`. */
  readonly path: string;
  /** The place of each argument in the request, by the argument's name. */
  readonly parameters: Readonly<Record<string, Place | Parameter>>;
  /** Whether all other arguments are fields of the body. */
  readonly hasFields?: boolean;
  /** Writes the body. Default: as `application/json`. */
  readonly write?: BodyWriter;
  /** The declared successes: statuses, `2XX`, or `default` if the contract declares no other success. */
  readonly success: readonly StatusKey[];
  /** The declared responses without a body, other than 204 and 304. */
  readonly empty?: readonly StatusKey[];
  /** The declared errors. `default` covers every status from 400 on. */
  readonly errors?: readonly StatusKey[];
  /** Reads the body of a success, as a `Reader`. Default: as JSON. */
  readonly read?: (exchange: never) => unknown;
  /** The media types of successes that are read as they arrive, in lower case without parameters, or true for each. */
  readonly streams?: true | readonly string[] | undefined;
  /** Whether a success may be the JSON value `null`. */
  readonly isNullable?: boolean;
  /** Whether a repeat is safe: the method is safe (RFC 9110, section 9.2.1), or the contract or the configuration says so. */
  readonly isRetryable?: boolean;
  /** The header that makes a repeat safe. A call without it sends a new key in it. */
  readonly idempotencyKey?: string;
  readonly pages?: Pagination;
  /** The security requirements: lists of schemes, of which one must be satisfied. Default: those of the contract. */
  readonly security?: Requirements;
  /** The URL of the operation's own server, as the contract has it. Only the option `servers` sends requests elsewhere. */
  readonly server?: string;
  readonly deprecated?: DeclaredDeprecation;
}

/** A status, a range such as `2XX`, or `default`. */
export type StatusKey = number | "1XX" | "2XX" | "3XX" | "4XX" | "5XX" | "default";

/** The place of an argument whose name is the parameter's and whose style is the default of the place. */
export type Place = "path" | "query" | "header" | "cookie" | "body" | "contentType";

/** Lists of scheme names. A request satisfies all schemes of one list. */
export type Requirements = readonly (readonly string[])[];

/**
 * How an operation is read page by page. `items` is the JSON Pointer of the list in the body, "" for the body itself. `next` is that of
 * the next URL or cursor. `last` is the JSON Pointer in the last item, whose value is the cursor, and `total` that of the number of items.
 * `inBody` says that the parameter is a field of the argument `body`.
 */
export type Pagination =
  | { readonly by: "link"; readonly items: string; readonly cursor?: string; readonly next?: string }
  | ({ readonly by: "cursor"; readonly items: string; readonly cursor: string; readonly inBody?: true } & (
      | { readonly next: string; readonly last?: undefined }
      | { readonly last: string; readonly next?: undefined }
    ))
  | {
      readonly by: "offset";
      readonly items: string;
      readonly offset: string;
      readonly limit?: string;
      readonly total?: string;
      readonly inBody?: true;
    }
  | { readonly by: "page"; readonly items: string; readonly page: string; readonly first: number };

/** The deprecation that the contract declares. Dates have the form `2030-12-05`. */
export interface DeclaredDeprecation {
  readonly since?: string;
  readonly sunset?: string;
  /** The operationId of the replacement. */
  readonly successor?: string;
}

/** Returns the key that covers a status, the most specific one. */
export function keyOf(keys: readonly StatusKey[], status: number): StatusKey | undefined {
  if (keys.includes(status)) return status;
  const range = `${Math.floor(status / 100)}XX` as StatusKey;
  return [range, "default" as const].find((key) => keys.includes(key));
}
