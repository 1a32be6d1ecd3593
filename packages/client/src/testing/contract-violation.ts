import type { OperationId } from "../operation.ts";

/** A request or a mocked answer that the contract does not have, or does not allow. */
export class ContractViolation extends Error {
  declare readonly name: "ContractViolation";
  /** Undefined where the request was to no operation. */
  declare readonly operationId: OperationId | undefined;
  /** Where it is in the request or the answer, as a JSON Pointer (RFC 6901): `/query/limit`, `/body/0/status`. */
  declare readonly pointer: string | undefined;

  constructor(message: string, operationId?: OperationId, pointer?: string) {
    super(message);
    Object.assign(this, { name: "ContractViolation", operationId, pointer });
  }
}
