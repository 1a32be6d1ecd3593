import { Validator } from "@cfworker/json-schema";
import { document } from "../generated/document.ts";
import { resolved } from "./contract.ts";
import type { Schema } from "../generated/openapi.ts";

/** The place and the reason of a value that does not match its schema. */
export interface SchemaError {
  pointer: string;
  message: string;
}

const validators = new WeakMap<Schema, Validator>();

/**
 * Validates a value against its schema. Returns the innermost error, or undefined for a valid value. `pointer` is the
 * value's place.
 */
export function validate(value: unknown, schema: Schema | undefined, pointer: string): SchemaError | undefined {
  if (schema === undefined) return undefined;
  const { errors } = validatorOf(schema).validate(value);
  const error = errors.at(-1); // the innermost error
  if (error === undefined) return undefined;
  const isUndeclared = error.keyword === "false";
  return {
    pointer: pointer + decodeURIComponent(error.instanceLocation.slice(1)),
    message: isUndeclared ? "The contract has no such field." : error.error,
  };
}

/** Parses a text by the type of its schema: a plain decimal number, or `true` or `false`. Returns any other text unchanged. */
export function valueOf(text: string, schema: Schema | undefined): unknown {
  const { type } = schema === undefined ? {} : resolved(schema);
  if ((type === "integer" || type === "number") && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return Number(text);
  return type === "boolean" && (text === "true" || text === "false") ? text === "true" : text;
}

/** Returns the cached validator of a schema. The root gets the components, because references are relative to the root. */
function validatorOf(schema: Schema): Validator {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const { schemas } = document.components;
  const validator = new Validator({ ...(schema as object), components: { schemas } }, "2020-12");
  validators.set(schema, validator);
  return validator;
}
