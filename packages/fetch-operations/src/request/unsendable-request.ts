/** The error of a request that is not sent because one of its values cannot be sent. */
export class UnsendableRequest extends Error {
  override readonly name = "UnsendableRequest";
}
