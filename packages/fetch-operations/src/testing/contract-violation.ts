/** The error of a request or mocked response that breaks the contract, or of an operation that the contract does not have. */
export class ContractViolation<Id extends string = string> extends Error {
  declare readonly name: "ContractViolation";
  /** Undefined if the contract has no such operation. */
  declare readonly operationId: Id | undefined;
  /**
   * The place in the request or response, as a JSON Pointer (RFC 6901): `/query/limit`, `/body/0/status`. Undefined without
   * one.
   */
  declare readonly pointer: string | undefined;

  constructor(message: string, operationId?: Id, pointer?: string) {
    super(message);
    Object.assign(this, { name: "ContractViolation", operationId, pointer });
  }
}
