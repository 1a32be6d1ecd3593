import type { OpenApiDocument, Schema } from "openapi-document";
import { responseCheck, type Violation } from "../response/response-check.ts";
import { NoExampleError, ValueMaker, type ValueOptions } from "./value-maker.ts";

type Validate = (value: unknown) => Violation[];

/** How often another value is made for one that is not valid. */
const MAX_ATTEMPTS = 500;
/** The time in milliseconds after which no other value is made. */
const MAX_TIME = 500;

/**
 * Resolves to a value of a schema for a response, with its optional fields. The value is valid: express-openapi-validator has
 * validated it, as it does responses. Rejects with the place of the fault if no valid value is found.
 */
export async function validValue(
  document: OpenApiDocument,
  node: Schema,
  where: string,
  options: Omit<ValueOptions, "isResponse"> = {},
): Promise<unknown> {
  const validate = await validatorOf(document, node);
  const maker = new ValueMaker(document, where, { ...options, isResponse: true });
  const end = performance.now() + MAX_TIME;
  let first: Error | undefined;
  for (let attempt = 0; attempt < MAX_ATTEMPTS && performance.now() < end; attempt++) {
    const { value, error, at } = attempted(maker, node, where, validate);
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
  validate: Validate,
): { value?: unknown; error?: Error; at: string } {
  try {
    const value = maker.make(node);
    const violations = validate(value);
    if (violations.length === 0) return { value, at: "" };
    const [{ pointer, message }] = violations.toSorted(
      (one, other) => other.pointer.split("/").length - one.pointer.split("/").length,
    ) as [Violation, ...Violation[]];
    const at = pointer.replace(/^\/body/, "");
    const error = new Error(`No valid value was found for ${where}: ${at || "the value"} ${message}. Add an example.`);
    return { error, at };
  } catch (error) {
    if (error instanceof NoExampleError) return { error, at: error.at };
    throw error;
  }
}

const validators = new WeakMap<object, WeakMap<object, Promise<Validate>>>();

/** Returns the validation of a schema's values, which is compiled once. */
function validatorOf(document: OpenApiDocument, node: Schema): Promise<Validate> {
  const known = validators.get(document) ?? new WeakMap<object, Promise<Validate>>();
  validators.set(document, known);
  const key = typeof node === "object" ? node : {};
  const validate = known.get(key) ?? compiled(document, node);
  known.set(key, validate);
  return validate;
}

async function compiled(document: OpenApiDocument, schema: Schema): Promise<Validate> {
  const contentType = "application/json";
  const responses = { 200: { description: "", content: { [contentType]: { schema } } } };
  const entry = { id: "value", method: "get", path: "/", operation: { responses }, parameters: [] };
  const { response } = responseCheck(document, entry);
  return (body) => response({ status: 200, contentType, body });
}
