import {
  type OpenApiDocument,
  type Schema,
  effectiveSchema,
  isReadOnly,
  isRecord,
  propertiesOf,
} from "openapi-document";
import { ValueMaker } from "openapi-document/example";
import { textMatching } from "./example-text.ts";

/**
 * Returns a valid value of a schema for a request: its example, its default, the first of its enum, or the smallest
 * that it allows.
 */
export function exampleValue(document: OpenApiDocument, node: Schema, where: string): unknown {
  return new ValueMaker(document, where, { textMatching }).make(node);
}

export function withoutReadOnly(document: OpenApiDocument, node: Schema | undefined, value: unknown): unknown {
  const schema = effectiveSchema(document, node);
  if (Array.isArray(value)) return value.map((item) => withoutReadOnly(document, schema.items, item));
  if (!isRecord(value)) return value;
  const fields = propertiesOf(schema);
  const kept = Object.entries(value).filter(([name]) => !isReadOnly(document, fields[name]));
  return Object.fromEntries(kept.map(([name, field]) => [name, withoutReadOnly(document, fields[name], field)]));
}
