/** Validates responses of the service against the contract. */
import type { ClientOptions } from "fetch-operations";
import { type ContractViolation, validateResponses as validate } from "fetch-operations/validation";
import { document } from "./generated/document.ts";
import { operations } from "./generated/operations.ts";

export { ContractViolation } from "fetch-operations/validation";

/**
 * Returns an option that validates the body of each response. A violation is passed to `onViolation`; without it, the call
 * rejects with the violation.
 */
export function validateResponses(
  onViolation?: (violation: ContractViolation) => void,
): Pick<ClientOptions, "onResponse"> {
  return validate(document, operations, onViolation);
}
