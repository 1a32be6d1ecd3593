/**
 * Whether a value is only promised. What is there is not awaited, on the way to a handler and back: each `await` has a
 * request wait for all others of the same turn, and costs a promise.
 */
export function isPromised<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return typeof (value as Partial<PromiseLike<Value>> | undefined | null)?.then === "function";
}

/** Goes on with a value: at once where it is there. */
export function whenThere<Value, Result>(
  value: Value | PromiseLike<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return isPromised(value) ? Promise.resolve(value).then(next) : next(value);
}
