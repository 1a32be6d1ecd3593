import { allOf, type Keywords, keywordsOf, type SchemaNode } from "./alternatives.ts";
import {
  both,
  type Direction,
  type Documents,
  effect,
  findKeyword,
  fromTo,
  type Pair,
  type PartChange,
  type Rating,
  RATINGS,
  type SchemaChange,
  type Scope,
  SENT,
  shown,
  type Side,
} from "./changes.ts";

/** Compares the fields of an object, and schedules the comparison of their schemas and that of the items of an array. */
export function nestedChanges(scope: Scope, keywords: Pair<Keywords>): SchemaChange[] {
  const { before, after } = keywords;
  const items = ({ items: schemas = [] }: Keywords) => allOf(schemas as SchemaNode[]);
  if (before["items"] !== undefined || after["items"] !== undefined)
    scope.compare({ ...scope, field: `${scope.field}[]` }, { before: items(before), after: items(after) });
  return [...fieldChanges(scope, keywords), ...otherFieldChanges(scope, keywords)];
}

/** The keyword that leaves a field out of a direction (OpenAPI 3.1, "Fixed Fields"). */
const HIDING = { request: "readOnly", response: "writeOnly" } as const;

/** A field of an object in one direction. */
interface Field {
  schema: SchemaNode;
  isRequired: boolean;
  isHidden: boolean;
}

function fieldChanges(scope: Scope, keywords: Pair<Keywords>): SchemaChange[] {
  const { before, after } = both((side) => fieldsOf(scope, side, keywords[side]));
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const inner = { ...scope, field: nameIn(scope, name) };
    return oneFieldChanges(inner, name, { before: before.get(name), after: after.get(name) });
  });
}

function nameIn({ field }: Scope, name: string): string {
  return field === "" ? name : `${field}.${name}`;
}

function fieldsOf({ documents, direction }: Scope, side: Side, keywords: Keywords): Map<string, Field> {
  const maps = (keywords["properties"] ?? []) as Record<string, SchemaNode>[];
  const required = new Set((keywords["required"] ?? []).flat() as string[]);
  const names = new Set([...maps.flatMap((map) => Object.keys(map)), ...required]);
  const fields = Array.from(names, (name): [string, Field] => {
    const schema = allOf(maps.flatMap((map) => (Object.hasOwn(map, name) ? [map[name]!] : [])));
    const isHidden = keywordsOf(documents[side], schema)[HIDING[direction]]?.includes(true) === true;
    return [name, { schema, isRequired: required.has(name), isHidden }];
  });
  return new Map(fields);
}

/** Compares `required` and the default for each field, since a schema is compared only once wherever it occurs. */
function oneFieldChanges(scope: Scope, name: string, { before, after }: Pair<Field | undefined>): SchemaChange[] {
  const { documents, direction, field } = scope;
  const isInBefore = before !== undefined && !before.isHidden;
  if (after === undefined || after.isHidden) return isInBefore ? [removedField(scope, after)] : [];
  if (!isInBefore) return [addedField(scope, name, after, before !== undefined)];
  const schemas = { before: before.schema, after: after.schema };
  scope.compare(scope, schemas);
  const isAlwaysGiven = after.isRequired && (direction === "request" || before.isRequired);
  const defaults = isAlwaysGiven ? [] : defaultChanges(documents, direction, schemas);
  const changes = defaults.map((change) => ({ ...change, field }));
  if (before.isRequired === after.isRequired) return changes;
  if (!after.isRequired) return [effect(scope, "widens", "becomes optional"), ...changes];
  return [effect(scope, "narrows", "becomes required", "required"), ...changes];
}

function addedField(scope: Scope, name: string, { isRequired }: Field, wasHidden: boolean): SchemaChange {
  const { documents, direction, field, node } = scope;
  const added = isRequired ? "is added and required" : "is added";
  const what = wasHidden ? `${added}, since it is no longer \`${HIDING[direction]}\`` : added;
  const harmless = { request: SENT.added, response: "Clients ignore unknown fields." };
  const isNarrower = direction === "request" && isRequired;
  const rating: Rating = isNarrower ? RATINGS.request.narrows : { impact: "additive", because: harmless[direction] };
  return { ...rating, what, field, ...findKeyword(documents, node, "properties", name) };
}

function removedField({ documents, direction, field }: Scope, after: Field | undefined): SchemaChange {
  const flag = HIDING[direction];
  const because = { request: SENT.removed, response: "Clients that read it no longer get it." }[direction];
  if (after === undefined) return { impact: "breaking", what: "is removed", because, field };
  const at = findKeyword(documents, after.schema, flag);
  return { impact: "breaking", what: `is removed, since it becomes \`${flag}\``, because, field, ...at };
}

/** Compares the default of an optional value. */
export function defaultChanges(documents: Documents, direction: Direction, schemas: Pair<SchemaNode>): PartChange[] {
  const { before, after } = both((side) => keywordsOf(documents[side], schemas[side])["default"]?.at(-1));
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const at = findKeyword(documents, schemas.after, "default");
  const because = `A ${direction} without it changes its meaning.`;
  if (after === undefined) return [{ impact: "breaking", what: `loses its default ${shown(before)}`, because }];
  if (before !== undefined)
    return [{ impact: "breaking", what: `the default ${fromTo(before, after)}`, because, ...at }];
  const what = `gets the default ${shown(after)}`;
  if (direction === "request") return [{ impact: "breaking", what, because, ...at }];
  return [{ impact: "additive", what, because: "Until now a response without it had no defined meaning.", ...at }];
}

/** Compares `additionalProperties`, and schedules the comparison of its schema. */
function otherFieldChanges(scope: Scope, { before, after }: Pair<Keywords>): SchemaChange[] {
  const key = "additionalProperties";
  if (before[key] === undefined && after[key] === undefined) return [];
  const isClosed = (keywords: Keywords) => keywords[key]?.includes(false) === true;
  const [wasClosed, isNowClosed] = [isClosed(before), isClosed(after)];
  if (wasClosed && isNowClosed) return [];
  if (isNowClosed) return [effect(scope, "narrows", "additional fields become invalid", key)];
  if (wasClosed) {
    const change = effect(scope, "widens", "additional fields become valid", key);
    if (scope.direction === "request") return [change];
    return [{ ...change, impact: "additive", because: "Clients ignore unknown fields." }];
  }
  const others = (keywords: Keywords) => allOf((keywords[key] ?? []) as SchemaNode[]);
  scope.compare({ ...scope, field: nameIn(scope, "*") }, { before: others(before), after: others(after) });
  return [];
}
