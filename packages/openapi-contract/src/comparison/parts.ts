import { compilePattern } from "openapi-document";
import { allOf, type Keywords, type SchemaNode } from "./alternatives.ts";
import { isNothing, type Items, type Others, type Schemas } from "./canonical.ts";

/** Whether every value of the first schema is valid for the second. */
type Inclusion = (one: SchemaNode, other: SchemaNode) => boolean;

/** The fields of an object. */
export interface ObjectParts {
  /** The names that the schema mentions. */
  names: Set<string>;
  patterns: Map<string, SchemaNode>;
  /** Returns the schema of a field. */
  at(name: string): SchemaNode;
  /** The schemas of the fields that the schema does not mention. */
  others: Others[];
}

/** Returns the fields of an object by its keywords. */
export function objectOf(keywords: Keywords): ObjectParts {
  const properties = (keywords["properties"] ?? []) as Schemas[];
  const patterns = Map.groupBy(
    ((keywords["patternProperties"] ?? []) as Schemas[]).flatMap((map) => Object.entries(map)),
    ([pattern]) => pattern,
  );
  const others = othersOf(keywords);
  const at = (name: string) => {
    const own = properties.flatMap((map) => (Object.hasOwn(map, name) ? [map[name]!] : []));
    const matching = [...patterns.keys()].filter((pattern) => isMatch(pattern, name));
    const outer = others.filter(
      (each) => !each.names.includes(name) && !each.patterns.some((one) => isMatch(one, name)),
    );
    return allOf([
      ...own,
      ...matching.flatMap((pattern) => patterns.get(pattern)!.map(([, schema]) => schema)),
      ...outer.map(({ schema }) => schema),
    ]);
  };
  return {
    names: new Set([...properties.flatMap((map) => Object.keys(map)), ...requiredOf(keywords)]),
    patterns: new Map(Array.from(patterns, ([pattern, own]) => [pattern, allOf(own.map(([, schema]) => schema))])),
    at,
    others,
  };
}

/** Returns the names of the fields that an object must have. */
export function requiredOf(keywords: Keywords): Set<string> {
  return new Set((keywords["required"] ?? []).flat() as string[]);
}

/** Returns the schemas of fields that are not mentioned, without those that depend on the value. */
export function othersOf(keywords: Keywords): Others[] {
  const all = ["additionalProperties", "unevaluatedProperties"].flatMap((key) => (keywords[key] ?? []) as Others[]);
  return all.filter(({ choices }) => choices === undefined);
}

function isMatch(pattern: string, name: string): boolean {
  try {
    return compilePattern(pattern).test(name);
  } catch {
    return false;
  }
}

/** Whether each field of an object is valid for another. */
export function fieldsWithin(left: ObjectParts, right: ObjectParts, isIn: Inclusion): boolean {
  const unnamed = allOf(left.others.map(({ schema }) => schema));
  const isPatternIn = ([pattern, schema]: [string, SchemaNode]) => {
    const own = left.patterns.get(pattern);
    if (own !== undefined) return isIn(own, schema);
    return isIn(unnamed, schema) && [...left.patterns.values()].every((each) => isIn(each, schema));
  };
  return (
    [...new Set([...left.names, ...right.names])].every((name) => isIn(left.at(name), right.at(name))) &&
    [...right.patterns].every(isPatternIn) &&
    right.others.every(({ schema, patterns }) => {
      const others = [...left.patterns].filter(([pattern]) => !patterns.includes(pattern));
      return isIn(unnamed, schema) && others.every(([, each]) => isIn(each, schema));
    })
  );
}

/** The items of an array. */
export interface ArrayParts {
  /** The number of items with a schema of their own. */
  prefix: number;
  /** Returns the schema of an item; from `prefix` on all are equal. */
  at(index: number): SchemaNode;
  max: number;
}

/** Returns the items of an array by its keywords. */
export function itemsOf(keywords: Keywords): ArrayParts {
  const all = (keywords["items"] ?? []) as Items[];
  const at = (index: number) => allOf(all.map(({ prefix, rest }) => prefix[index] ?? rest));
  const prefix = Math.max(0, ...all.map((each) => each.prefix.length));
  const shortest = Array.from({ length: prefix + 1 }, (_, index) => index).find((index) => isNothing(at(index)));
  const max = Math.min(...((keywords["maxItems"] ?? []) as number[]), shortest ?? Infinity);
  return { prefix, at, max };
}

/** Whether each item of an array is valid for another. */
export function itemsWithin(left: ArrayParts, right: ArrayParts, isIn: Inclusion): boolean {
  const indexes = Array.from({ length: Math.max(left.prefix, right.prefix) + 1 }, (_, index) => index);
  return indexes.every((index) => index >= left.max || isIn(left.at(index), right.at(index)));
}
