import type { Schema } from "../objects.ts";
import { compilePattern } from "../pattern.ts";
import { isRecord, propertiesOf } from "../schema/effective-schema.ts";

/** Whether no part of a schema forbids a field. */
export function isAllowed(parts: Schema[], name: string): boolean {
  return parts.every((part) => {
    const forbidden = isRecord(part["not"]) ? listOf(part["not"]["required"]) : [];
    if (forbidden.length === 1 && (forbidden[0] as unknown) === name) return false;
    return (
      part["additionalProperties"] !== false ||
      Object.hasOwn(propertiesOf(part), name) ||
      patternSchema(part, name) !== undefined
    );
  });
}

/** Adds the names that others require (`dependentRequired`). */
export function withDependents(parts: Schema[], names: string[]): string[] {
  const all = new Set(names);
  for (const name of all) {
    for (const part of parts) {
      const dependents = (part["dependentRequired"] ?? {}) as Record<string, string[]>;
      if (Object.hasOwn(dependents, name)) for (const dependent of dependents[name]!) all.add(dependent);
    }
  }
  return [...all];
}

/** Whether a schema describes fields that it does not name. */
export function hasOthers({ additionalProperties, patternProperties }: Schema): boolean {
  return isRecord(additionalProperties) || additionalProperties === true || isRecord(patternProperties);
}

export function fieldSchema(parts: Schema[], name: string): Schema {
  const schemas = parts.flatMap((part) => {
    const fields = propertiesOf(part);
    const named = [Object.hasOwn(fields, name) ? fields[name] : undefined, patternSchema(part, name)];
    const own = named.filter((each) => each !== undefined);
    if (own.length > 0) return own;
    const others = part["additionalProperties"] ?? (parts.length === 1 ? part["unevaluatedProperties"] : undefined);
    return isRecord(others) ? [others] : [];
  });
  return schemas.length === 1 ? schemas[0]! : { allOf: schemas };
}

function patternSchema(schema: Schema, name: string): Schema | undefined {
  const patterns = Object.entries((schema["patternProperties"] ?? {}) as Record<string, Schema>);
  return patterns.find(([pattern]) => compilePattern(pattern).test(name))?.[1];
}

export function listOf(value: unknown): Schema[] {
  return Array.isArray(value) ? (value as Schema[]) : [];
}
