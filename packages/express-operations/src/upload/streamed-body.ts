import { type OpenApiDocument, type OperationEntry, type RequestBodyObject, resolve } from "openapi-document";
import type { BodyLimits } from "../request/limits.ts";
import type { HasBody, PlainInput, StreamedInput } from "./types.ts";

const STREAMED = new WeakMap<(...input: never[]) => unknown, Partial<BodyLimits>>();

/** The type of the parameter for an operation without a request body. It names the mistake in the compiler's message. */
interface OperationWithoutRequestBody {
  requestBody: never;
}

/**
 * Marks a handler that reads the request body while it arrives. A `multipart/form-data` body is in `parts`, any other in
 * `body`, a `Readable` of bytes. Limits replace those of `implement` for the operation.
 */
export function streamedBody<Input extends PlainInput, Result>(
  handler: HasBody<Input> extends true ? (input: StreamedInput<Input>) => Result : OperationWithoutRequestBody,
  limits: Partial<BodyLimits> = {},
): (input: Input) => Result {
  const marked = (handler as unknown as (input: Input) => Result).bind(undefined); // a copy, because another operation may use the same function
  STREAMED.set(marked, limits);
  return marked;
}

/** Returns the limits of a handler marked by `streamedBody`, or undefined for another handler. */
export function streamedBodyLimits(handler: (...input: never[]) => unknown): Partial<BodyLimits> | undefined {
  return STREAMED.get(handler);
}

/** Throws if an operation has no request body. */
export function expectRequestBody(document: OpenApiDocument, { id, operation }: OperationEntry): void {
  const { content = {} } = resolve<RequestBodyObject>(document, operation.requestBody ?? {});
  if (Object.keys(content).length > 0) return;
  throw new Error(
    `The handler of "${id}" cannot have a streamed body: the operation has no request body. Remove \`streamedBody\`.`,
  );
}
