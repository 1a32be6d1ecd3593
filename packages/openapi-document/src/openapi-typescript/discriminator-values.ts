import { choicesOf, type Discriminator, isTarget, nameOf } from "../schema/discriminator.ts";
import type { OpenApiDocument, Schema } from "../objects.ts";
import { resolve } from "../references.ts";
import { conjuncts, isRecord, nonNullTypesOf, propertiesOf, valuesOf } from "../schema/effective-schema.ts";
import { forEachKeywordObject } from "./keyword-objects.ts";

/**
 * Replaces each discriminator of numbers, of booleans or of values that are no names of schemas, in place, by the values of the
 * property in each schema that it chooses from. openapi-typescript takes keys and names for the values. It reads the other
 * discriminators itself, if their mappings have references and not names.
 */
export function writeDiscriminatorValues(document: OpenApiDocument): void {
  forEachKeywordObject(document, (node) => {
    if (isRecord(node["discriminator"])) writeValues(document, node);
  });
}

function writeValues(document: OpenApiDocument, schema: Schema): void {
  const discriminator = schema["discriminator"] as Discriminator;
  const { propertyName: name, mapping, defaultMapping } = discriminator;
  if (name === undefined) return;
  const shared = fieldOf(document, schema, name);
  const targets = targetsOf(document, schema).map(({ target, ...choice }) => {
    const field = fieldOf(document, target, name);
    const listed = field.values.length > 0 ? field.values : shared.values;
    return { ...choice, target, field, listed, types: field.types.size > 0 ? field.types : shared.types };
  });
  const isByKeys = targets.every(({ types, keys, listed }) => {
    const takesKey = listed.length === 0 || keys.some((key) => listed.includes(key));
    return types.size === 0 || (types.has("string") && takesKey);
  });
  if (isByKeys) {
    if (mapping !== undefined) discriminator.mapping = Object.fromEntries(choicesOf(document, { discriminator }));
    return;
  }
  delete schema["discriminator"];
  for (const { ref, keys, target, field, listed, types } of targets) {
    if (isTarget(ref, defaultMapping)) continue; // describes values without the property too
    const chosen = listed.filter((value) => keys.includes(String(value)));
    const values = listed.length > 0 ? chosen : keys.flatMap((key) => valueOf(key, types));
    const isNarrowed = values.length === 0 || values.length === field.values.length;
    if (!field.isRequired || !isNarrowed) requireValues(target, name, values);
  }
}

/** Returns the components that a discriminator chooses from, with the keys of each. */
function targetsOf(document: OpenApiDocument, schema: Schema): { ref: string; keys: string[]; target: Schema }[] {
  const { schemas = {} } = (document.components ?? {}) as { schemas?: Record<string, Schema> };
  const keysByRef = new Map<string, string[]>();
  for (const [key, ref] of choicesOf(document, schema)) keysByRef.set(ref, [...(keysByRef.get(ref) ?? []), key]);
  return Array.from(keysByRef).flatMap(([ref, keys]) => {
    const component = schemas[nameOf(ref)]; // missing, if it is outside of the document
    return isRecord(component) ? { ref, keys, target: resolve<Schema>(document, component) } : [];
  });
}

/** The types and values that a schema declares for a property, and whether it requires the property. */
function fieldOf(document: OpenApiDocument, schema: Schema, name: string) {
  const parts = conjuncts(document, schema);
  const fields = parts.map((part) => propertiesOf(part)[name]).filter((field) => field !== undefined);
  const values = fields.flatMap((field) => conjuncts(document, field).flatMap((part) => valuesOf(part) ?? []));
  return {
    types: new Set(fields.flatMap((field) => [...nonNullTypesOf(document, field)])),
    values: [...new Set(values)],
    isRequired: parts.some(({ required }) => Array.isArray(required) && required.includes(name)),
  };
}

/** Returns the value of a key, if the property may have it. */
function valueOf(key: string, types: Set<string>): unknown[] {
  if ((types.has("integer") || types.has("number")) && key.trim() !== "" && Number.isFinite(Number(key)))
    return [Number(key)];
  if (types.has("boolean") && (key === "true" || key === "false")) return [key === "true"];
  return types.size === 0 || types.has("string") ? [key] : [];
}

/** Requires a property in a schema, with one of the values; with its own schema, if there are none. */
function requireValues(schema: Schema, name: string, values: unknown[]): void {
  const narrowed = values.length > 0 && { type: typeof values[0], enum: values };
  if (Array.isArray(schema["allOf"])) {
    schema["allOf"].push({ type: "object", required: [name], properties: { [name]: { ...narrowed } } });
    return;
  }
  const properties = propertiesOf(schema);
  schema["required"] = [...new Set([...((schema["required"] ?? []) as string[]), name])];
  if (!narrowed) return;
  const { description } = properties[name] ?? {};
  schema["properties"] = { ...properties, [name]: { ...(description !== undefined && { description }), ...narrowed } };
}
