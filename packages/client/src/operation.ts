import type { operations } from "./generated/schema.ts";

/** The operationIds of the contract. */
export type OperationId = keyof operations;

/** What sending an operation needs to know of the contract: `src/generated/operations.ts` has one for each. */
export interface Operation<Id extends string = string> {
  readonly id: Id;
  readonly method: string;
  /** The path template, such as `/pets/{petId}`. */
  readonly path: string;
  /** Where each argument goes, by its name. */
  readonly parameters: Readonly<Record<string, "path" | "query" | "header" | "body">>;
  /** Whether the other arguments are the fields of the body. */
  readonly hasFields?: boolean;
  /** The declared statuses that are a success. */
  readonly success: readonly number[];
  /** Whether the contract lets it be repeated: its method is safe (RFC 9110, section 9.2.1) or it takes an `Idempotency-Key`. */
  readonly isRepeatable?: boolean;
  /** Whether its answers link to the next page. */
  readonly isPaged?: boolean;
  readonly deprecated?: DeprecationFacts;
}

/** What the contract says of a deprecated operation, its days as `2030-12-05`. */
export interface DeprecationFacts {
  readonly since?: string;
  readonly sunset?: string;
  /** The operationId of the replacement. */
  readonly successor?: string;
}
