import { allOf, type Keywords, keywordsOf, type SchemaNode } from "./alternatives.ts";
import { isAnything, isNothing } from "./canonical.ts";
import {
  both,
  type Direction,
  type Documents,
  effect,
  findKeyword,
  fromTo,
  isFromClient,
  loss,
  type Pair,
  type PartChange,
  PART_REASONS,
  type Rating,
  RATINGS,
  type SchemaChange,
  type Scope,
  shown,
  type Side,
} from "./changes.ts";
import { mediumBelow } from "./located.ts";
import { itemsOf, objectOf, type ObjectParts, requiredOf } from "./parts.ts";

/** Compares the fields of an object, and schedules the comparison of their schemas and that of the items of an array. */
export function nestedChanges(scope: Scope, keywords: Pair<Keywords>): SchemaChange[] {
  compareItems(scope, keywords);
  const objects = both((side) => objectOf(keywords[side]));
  return [
    ...fieldChanges(scope, keywords, objects),
    ...patternChanges(scope, objects),
    ...otherFieldChanges(scope, objects),
  ];
}

/** The first items may have a schema of their own, such as `[0]`; the others are `[]`. */
function compareItems(scope: Scope, keywords: Pair<Keywords>): void {
  if (keywords.before["items"] === undefined && keywords.after["items"] === undefined) return;
  const items = both((side) => itemsOf(keywords[side]));
  const count = Math.max(items.before.prefix, items.after.prefix);
  const most = Math.min(items.before.max, items.after.max); // others are compared by their number
  for (let index = 0; index <= count && index < most; index++) {
    const field = `${scope.field}[${index === count ? "" : index}]`;
    scope.compare(
      { field, medium: mediumBelow(scope.medium, "items") },
      both((side) => items[side].at(index)),
    );
  }
}

/** The keyword that leaves a field out of a direction (OpenAPI 3.1, "Fixed Fields"). */
const HIDING: Partial<Record<Direction, "readOnly" | "writeOnly">> = { request: "readOnly", response: "writeOnly" };

/** A field of an object in one direction. */
interface Field {
  schema: SchemaNode;
  isRequired: boolean;
  isHidden: boolean;
}

function fieldChanges(scope: Scope, keywords: Pair<Keywords>, objects: Pair<ObjectParts>): SchemaChange[] {
  const { before, after } = both((side) => fieldsOf(scope, side, keywords[side], objects[side]));
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const inner = { ...scope, field: nameIn(scope, name) };
    return oneFieldChanges(inner, name, { before: before.get(name), after: after.get(name) }, objects);
  });
}

function nameIn({ field }: Scope, name: string): string {
  return field === "" ? name : `${field}.${name}`;
}

function fieldsOf(scope: Scope, side: Side, keywords: Keywords, object: ObjectParts): Map<string, Field> {
  const required = requiredOf(keywords);
  const fields = Array.from(object.names, (name): [string, Field] => {
    const schema = object.at(name);
    const flag = HIDING[scope.direction];
    const isHidden = flag !== undefined && keywordsOf(scope.documents[side], schema)[flag]?.includes(true) === true;
    return [name, { schema, isRequired: required.has(name), isHidden }];
  });
  return new Map(fields.filter(([name, { isRequired }]) => isRequired || !isShutOut(object, name)));
}

/** Whether another schema that applies is closed and does not know a field. */
function isShutOut({ others }: ObjectParts, name: string): boolean {
  return others.some(
    ({ schema, names, patterns }) => isNothing(schema) && !names.includes(name) && patterns.length === 0,
  );
}

/** Compares `required` and the default for each field, since a schema is compared only once wherever it occurs. */
function oneFieldChanges(
  scope: Scope,
  name: string,
  { before, after }: Pair<Field | undefined>,
  objects: Pair<ObjectParts>,
): SchemaChange[] {
  const { documents, direction, field } = scope;
  const medium = mediumBelow(scope.medium, "fields");
  const isInBefore = before !== undefined && !before.isHidden;
  if (after === undefined || after.isHidden) return isInBefore ? [removedField(scope, name, after)] : [];
  if (!isInBefore) {
    const earlier = objects.before.at(name); // as one of the fields without a name
    if (before === undefined && !isAnything(earlier) && !isNothing(earlier))
      scope.compare({ field, medium }, { before: earlier, after: after.schema });
    return [addedField(scope, name, after, before !== undefined)];
  }
  const schemas = { before: before.schema, after: after.schema };
  scope.compare({ field, medium }, schemas);
  const isAlwaysGiven = after.isRequired && (isFromClient(direction) || before.isRequired);
  const defaults = isAlwaysGiven ? [] : defaultChanges(documents, direction, schemas);
  const changes = defaults.map((change) => ({ ...change, field }));
  if (before.isRequired === after.isRequired) return changes;
  if (!after.isRequired) return [loss(scope, "widens", "becomes optional", "required"), ...changes];
  return [effect(scope, "narrows", "becomes required", "required"), ...changes];
}

function addedField(scope: Scope, name: string, { isRequired }: Field, wasHidden: boolean): SchemaChange {
  const { documents, direction, field, node } = scope;
  const added = isRequired ? "is added and required" : "is added";
  const what = wasHidden ? `${added}, since it is no longer \`${HIDING[direction]}\`` : added;
  const isNarrower = isFromClient(direction) && isRequired;
  const because = isFromClient(direction) ? PART_REASONS[direction].added : UNKNOWN_FIELDS;
  const rating: Rating = isNarrower ? RATINGS[direction].narrows : { impact: "additive", because };
  const { at } = findKeyword(documents, node, "properties", name);
  return { ...rating, what, field, ...(at && { at, origin: { ...at, field } }) };
}

const UNKNOWN_FIELDS = "Clients ignore unknown fields.";

function removedField(scope: Scope, name: string, after: Field | undefined): SchemaChange {
  const { documents, direction, field, earlier } = scope;
  const { at } = findKeyword({ after: documents.before }, earlier, "properties", name);
  const removal = {
    impact: "breaking",
    because: PART_REASONS[direction].removed,
    field,
    ...(at && { origin: { ...at, field } }),
  } as const;
  const flag = HIDING[direction];
  if (after === undefined || flag === undefined) return { ...removal, what: "is removed" };
  const place = findKeyword(documents, after.schema, flag);
  return { ...removal, what: `is removed, since it becomes \`${flag}\``, ...place };
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
  if (isFromClient(direction)) return [{ impact: "breaking", what, because, ...at }];
  const undefinedBefore = `Until now a ${direction} without it had no defined meaning.`;
  return [{ impact: "additive", what, because: undefinedBefore, ...at }];
}

/**
 * Schedules the comparison of the fields with a pattern. A pattern of only one document is compared with the other fields. Those
 * that were invalid in what the service sends are new.
 */
function patternChanges(scope: Scope, objects: Pair<ObjectParts>): SchemaChange[] {
  const others = both((side) => othersAt(objects[side]));
  const patterns = new Set([...objects.before.patterns.keys(), ...objects.after.patterns.keys()]);
  return [...patterns].flatMap((pattern): SchemaChange[] => {
    const schemas = both((side) => objects[side].patterns.get(pattern) ?? others[side]);
    const field = nameIn(scope, `/${pattern}/`);
    if (isNothing(schemas.before) && !isNothing(schemas.after) && !isFromClient(scope.direction))
      return [{ impact: "additive", what: "is added", because: UNKNOWN_FIELDS, field }];
    scope.compare({ field, medium: mediumBelow(scope.medium, "fields") }, schemas);
    return [];
  });
}

function othersAt({ others }: ObjectParts): SchemaNode {
  return allOf(others.map(({ schema }) => schema));
}

/** Compares the fields that a schema does not mention, and schedules the comparison of their schema. */
function otherFieldChanges(scope: Scope, objects: Pair<ObjectParts>): SchemaChange[] {
  const others = both((side) => othersAt(objects[side]));
  if (isAnything(others.before) && isAnything(others.after)) return [];
  const [wasClosed, isClosed] = [isClosedBy(others.before), isClosedBy(others.after)];
  if (wasClosed && isClosed) return [];
  const key = "additionalProperties";
  if (isClosed) return [effect(scope, "narrows", "additional fields become invalid", key)];
  if (wasClosed) {
    const change = effect(scope, "widens", "additional fields become valid", key);
    if (isFromClient(scope.direction)) return [change];
    const { effect: _, ...unrated } = change;
    return [{ ...unrated, impact: "additive", because: UNKNOWN_FIELDS }];
  }
  scope.compare({ field: nameIn(scope, "*"), medium: mediumBelow(scope.medium, "fields") }, others);
  return [];
}

function isClosedBy(others: SchemaNode): boolean {
  return (
    isNothing(others) ||
    (typeof others === "object" && (others["allOf"] as SchemaNode[] | undefined)?.some(isNothing) === true)
  );
}
