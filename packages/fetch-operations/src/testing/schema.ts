import { Validator } from "@cfworker/json-schema";
import { resolve, type Schema } from "../generated/openapi.ts";
import type { ContractDocument } from "./contract-document.ts";

/** The place and the reason of a value that does not match its schema. */
export interface SchemaError {
  pointer: string;
  message: string;
}

/** Validates a value against its schema. Returns the innermost error, or undefined. `pointer` is the value's place. */
export type Validate = (value: unknown, schema: Schema | undefined, pointer: string) => SchemaError | undefined;

/** Returns the validator of a document's schemas. Each schema gets the components, because references are relative to the root. */
export function schemaValidator(document: ContractDocument): Validate {
  const validators = new WeakMap<Schema, Validator>();
  const draft = document.openapi.startsWith("3.0") ? "4" : "2020-12";
  const validatorOf = (schema: Schema): Validator => {
    const known = validators.get(schema);
    if (known !== undefined) return known;
    const schemas = document.components?.schemas;
    const validator = new Validator({ ...(schema as object), components: { schemas } }, draft);
    validators.set(schema, validator);
    return validator;
  };
  return (value, schema, pointer) => {
    if (schema === undefined) return undefined;
    const { errors } = validatorOf(schema).validate(value);
    const error = errors.at(-1); // the innermost error
    if (error === undefined) return undefined;
    const isUndeclared = error.keyword === "false";
    return {
      pointer: pointer + decodeURIComponent(error.instanceLocation.slice(1)),
      message: isUndeclared ? "The contract has no such field." : error.error,
    };
  };
}

/** Parses a text by the type of its schema: a plain decimal number, or `true` or `false`. Returns any other text unchanged. */
export function valueOf(document: ContractDocument, text: string, schema: Schema | undefined): unknown {
  const { type } = schema === undefined ? {} : resolve<Schema>(document, schema);
  if ((type === "integer" || type === "number") && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return Number(text);
  return type === "boolean" && (text === "true" || text === "false") ? text === "true" : text;
}
