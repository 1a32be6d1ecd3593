/** The error of an operation that the client cannot call, with its place in the contract and the remedy. */
export class Refusal extends TypeError {
  override readonly name = "Refusal";

  constructor(id: string, problem: string, place = "") {
    super(`${place && `${place}: `}${id} ${problem}`);
  }
}
