/** The error of an operation that the client cannot call, with its place in the contract and the remedy. */
export class Refusal extends TypeError {
  override readonly name = "Refusal";
  readonly operationId: string;

  constructor(id: string, problem: string, place = "") {
    super(`${place && `${place}: `}${id} ${problem}`);
    this.operationId = id;
  }
}
