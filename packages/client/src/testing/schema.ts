import { Validator } from "@cfworker/json-schema";
import { document } from "../generated/document.ts";
import { read } from "./contract.ts";
import type { Schema } from "../generated/openapi.ts";

/** Where a value breaks its schema, and how. */
export interface Mistake {
  pointer: string;
  message: string;
}

const validators = new WeakMap<Schema, Validator>();

/** What is wrong with a value by its schema, undefined for nothing. `pointer` says where the value is. */
export function mistakeIn(value: unknown, schema: Schema | undefined, pointer: string): Mistake | undefined {
  if (schema === undefined) return undefined;
  const { errors } = validatorOf(schema).validate(value);
  const error = errors.at(-1); // the innermost
  if (error === undefined) return undefined;
  const isUndeclared = error.keyword === "false";
  return {
    pointer: pointer + decodeURIComponent(error.instanceLocation.slice(1)),
    message: isUndeclared ? "The contract has no such field." : error.error,
  };
}

/** A text as its schema wants it: a plain decimal number, `true` or `false`, else itself. */
export function valueOf(text: string, schema: Schema | undefined): unknown {
  const { type } = schema === undefined ? {} : read(schema);
  if ((type === "integer" || type === "number") && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return Number(text);
  return type === "boolean" && (text === "true" || text === "false") ? text === "true" : text;
}

/** References in a schema are relative to its root, so it becomes one that has what they refer to. */
function validatorOf(schema: Schema): Validator {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const { schemas } = document.components;
  const validator = new Validator({ ...(schema as object), components: { schemas } }, "2020-12");
  validators.set(schema, validator);
  return validator;
}
