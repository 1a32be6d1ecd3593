/** Validates responses against the contract. It needs `@cfworker/json-schema`. */
import type { ClientOptions, ResponseEvent } from "../options.ts";
import type { OperationDescription } from "../operation.ts";
import { essenceOf, isJson } from "../media-type.ts";
import {
  type ContractDocument,
  contractOf,
  ContractViolation,
  declaredResponse,
  type FakeContract,
} from "../testing/index.ts";

export type { ContractDocument } from "../testing/index.ts";
export { ContractViolation } from "../testing/index.ts";

/**
 * Returns an option that validates the JSON of each declared response against its schema. A violation is passed to `onViolation`;
 * without it, the call rejects with the violation. `operations` are those of the client, by name.
 */
export function validateResponses(
  document: ContractDocument,
  operations: Readonly<Record<string, OperationDescription>>,
  onViolation: (violation: ContractViolation) => void = (violation) => {
    throw violation;
  },
): Pick<ClientOptions, "onResponse"> {
  const contract = contractOf(document, new Map(Object.values(operations).map(({ id }) => [id, id])));
  return {
    onResponse: async ({ operationId, response }) => {
      const violation = await violationOf(contract, operationId, response);
      if (violation) onViolation(violation);
    },
  };
}

async function violationOf(
  contract: FakeContract,
  operationId: string,
  response: ResponseEvent["response"],
): Promise<ContractViolation | undefined> {
  const operation = contract.operations.find(({ id }) => id === operationId);
  const declared = operation && declaredResponse(operation, response.status);
  const type = essenceOf(response.headers.get("Content-Type"));
  const media = declared?.content?.[type];
  // The client reports a response that is not declared or not JSON itself.
  if (media === undefined || !isJson(type)) return undefined;
  const value: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  if (value === undefined) return undefined;
  const error = contract.validate(value, media.schema, "/body");
  if (error === undefined) return undefined;
  const text = `${operationId}: the response ${response.status} breaks the contract at ${error.pointer}: ${error.message}`;
  return new ContractViolation(text, operationId, error.pointer);
}
