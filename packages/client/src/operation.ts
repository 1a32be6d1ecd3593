import type { operations } from "./generated/schema.ts";

/** The operationIds of the contract. */
export type OperationId = keyof operations;

/** The description of an operation that a call needs. `src/generated/operations.ts` has one for each operation. */
export interface Operation<Id extends string = string> {
  readonly id: Id;
  readonly method: string;
  /** The path template, such as `/pets/{petId}`. */
  readonly path: string;
  /** The location of each argument in the request, by the argument's name. */
  readonly parameters: Readonly<Record<string, "path" | "query" | "header" | "body">>;
  /** Whether all other arguments are fields of the body. */
  readonly hasFields?: boolean;
  /** The declared 2xx statuses. */
  readonly success: readonly number[];
  /** Whether a repeat is safe: the method is safe (RFC 9110, section 9.2.1) or the operation has an `Idempotency-Key`. */
  readonly isRetryable?: boolean;
  /** Whether the responses link to the next page. */
  readonly isPaged?: boolean;
  readonly deprecated?: DeclaredDeprecation;
}

/** The deprecation that the contract declares. Dates have the form `2030-12-05`. */
export interface DeclaredDeprecation {
  readonly since?: string;
  readonly sunset?: string;
  /** The operationId of the replacement. */
  readonly successor?: string;
}
