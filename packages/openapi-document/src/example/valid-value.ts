/** Makes values of schemas: from examples, defaults and listed values, or else from types and bounds. */
import type { OpenApiDocument, Schema } from "../objects.ts";
import { NoExampleError, ValueMaker, type ValueOptions } from "./value-maker.ts";

export { givenExample, parsedExample } from "./given-values.ts";
export { ValueMaker, type ValueOptions };

/** How often another value is made for one that is not valid. */
const MAX_ATTEMPTS = 500;
/** The time in milliseconds after which no other value is made. */
const MAX_TIME = 500;

/** A violation of a schema, with its place in the value as a JSON Pointer. */
export interface Fault {
  pointer: string;
  message: string;
}

/** Returns a violation of a value, the innermost one if it has several; undefined if the value is valid. */
export type FindFault = (value: unknown) => Fault | undefined;

/**
 * Returns a value of a schema for a response, with its optional fields, that `findFault` finds valid. Throws an error with the place of
 * the fault if no valid value is found.
 */
export function validValue(
  document: OpenApiDocument,
  node: Schema,
  where: string,
  findFault: FindFault,
  options: Omit<ValueOptions, "isResponse"> = {},
): unknown {
  const maker = new ValueMaker(document, where, { ...options, isResponse: true });
  const end = performance.now() + MAX_TIME;
  let first: Error | undefined;
  for (let attempt = 0; attempt < MAX_ATTEMPTS && performance.now() < end; attempt++) {
    const { value, error, at } = attempted(maker, node, where, findFault);
    if (error === undefined) return value;
    first ??= error;
    if (!maker.vary(at)) break;
  }
  throw first!;
}

/** Makes a value. Returns the fault and its place if it is not valid. */
function attempted(
  maker: ValueMaker,
  node: Schema,
  where: string,
  findFault: FindFault,
): { value?: unknown; error?: Error; at: string } {
  try {
    const value = maker.make(node);
    const fault = findFault(value);
    if (fault === undefined) return { value, at: "" };
    const { pointer: at, message } = fault;
    const error = new Error(`No valid value was found for ${where}: ${at || "the value"} ${message}. Add an example.`);
    return { error, at };
  } catch (error) {
    if (error instanceof NoExampleError) return { error, at: error.at };
    throw error;
  }
}
