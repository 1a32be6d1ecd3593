import { type Direction, RATINGS } from "./ratings.ts";
import { allOf, type Keywords, keywordsOf, type SchemaNode } from "./alternatives.ts";
import { type Documents, type Pair, type PartChange, shown } from "./documents.ts";
import { effect, findKeyword, type SchemaChange, type Scope } from "./scope.ts";

/** Schedules the comparison of the items of an array. */
export function compareItems(scope: Scope, { before, after }: Pair<Keywords>): void {
  if (before["items"] === undefined && after["items"] === undefined) return;
  const items = ({ items: schemas = [] }: Keywords) => allOf(schemas as SchemaNode[]);
  scope.compare({ ...scope, field: `${scope.field}[]` }, { before: items(before), after: items(after) });
}

/** A field of an object in one direction. */
interface Field {
  schema: SchemaNode;
  isRequired: boolean;
  /** Whether it is `readOnly` in a request or `writeOnly` in a response (OpenAPI 3.1, "Fixed Fields"). */
  isHidden: boolean;
}

/** Compares the fields of an object, and schedules the comparison of their schemas. */
export function fieldChanges(scope: Scope, keywords: Pair<Keywords>): SchemaChange[] {
  const { documents, direction } = scope;
  const before = fieldsOf(documents, "before", direction, keywords.before);
  const after = fieldsOf(documents, "after", direction, keywords.after);
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const inner = { ...scope, field: nameIn(scope, name) };
    return oneFieldChanges(inner, name, { before: before.get(name), after: after.get(name) });
  });
}

function nameIn({ field }: Scope, name: string): string {
  return field === "" ? name : `${field}.${name}`;
}

function fieldsOf(
  documents: Documents,
  side: keyof Documents,
  direction: Direction,
  keywords: Keywords,
): Map<string, Field> {
  const maps = (keywords["properties"] ?? []) as Record<string, SchemaNode>[];
  const required = new Set((keywords["required"] ?? []).flat() as string[]);
  const hiding = direction === "request" ? "readOnly" : "writeOnly";
  const names = new Set([...maps.flatMap((map) => Object.keys(map)), ...required]);
  return new Map(
    Array.from(names, (name) => {
      const schemas = maps.flatMap((map) => (Object.hasOwn(map, name) ? [map[name]!] : []));
      const schema = allOf(schemas);
      const isHidden = keywordsOf(documents[side], schema)[hiding]?.includes(true) === true;
      return [name, { schema, isRequired: required.has(name), isHidden }];
    }),
  );
}

/** Compares `required` and the default for each field, since a schema is compared only once wherever it occurs. */
function oneFieldChanges(scope: Scope, name: string, { before, after }: Pair<Field | undefined>): SchemaChange[] {
  const { documents, direction, field } = scope;
  const isInBefore = before !== undefined && !before.isHidden;
  if (after === undefined || after.isHidden) return isInBefore ? [removedField(scope, after)] : [];
  if (!isInBefore) return [addedField(scope, name, after, before !== undefined)];
  const schemas = { before: before.schema, after: after.schema };
  const isAlwaysGiven = after.isRequired && (direction === "request" || before.isRequired);
  const defaults = isAlwaysGiven ? [] : defaultChanges(documents, direction, schemas);
  const required =
    before.isRequired === after.isRequired
      ? []
      : [
          effect(
            scope,
            after.isRequired ? "narrows" : "widens",
            `becomes ${after.isRequired ? "required" : "optional"}`,
            after.isRequired ? "required" : undefined,
          ),
        ];
  scope.compare(scope, schemas);
  return [...required, ...defaults.map((change) => ({ ...change, field }))];
}

function addedField(scope: Scope, name: string, { isRequired }: Field, wasHidden: boolean): SchemaChange {
  const { documents, direction, field, node } = scope;
  const flag = direction === "request" ? "readOnly" : "writeOnly";
  const added = isRequired ? "is added and required" : "is added";
  const change = { what: wasHidden ? `${added}, since it is no longer \`${flag}\`` : added, field };
  const at = findKeyword(documents, node, "properties", name);
  if (direction === "response")
    return { ...change, impact: "additive", because: "Clients ignore unknown fields.", ...at };
  if (isRequired) return { ...change, ...RATINGS.request.narrows, ...at };
  return { ...change, impact: "additive", because: "Clients need not send it.", ...at };
}

function removedField({ documents, direction, field }: Scope, after: Field | undefined): SchemaChange {
  const isRequest = direction === "request";
  const flag = isRequest ? "readOnly" : "writeOnly";
  const because = isRequest
    ? "The service rejects or ignores values that clients may send today."
    : "Clients that read it no longer get it.";
  if (after === undefined) return { impact: "breaking", what: "is removed", because, field };
  const at = findKeyword(documents, after.schema, flag);
  return { impact: "breaking", what: `is removed, since it becomes \`${flag}\``, because, field, ...at };
}

/** Compares the default of an optional value. */
export function defaultChanges(documents: Documents, direction: Direction, schemas: Pair<SchemaNode>): PartChange[] {
  const valueOf = (side: keyof Documents) => keywordsOf(documents[side], schemas[side])["default"]?.at(-1);
  const [before, after] = [valueOf("before"), valueOf("after")];
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const at = findKeyword(documents, schemas.after, "default");
  const because = `A ${direction} without it changes its meaning.`;
  if (after === undefined) return [{ impact: "breaking", what: `loses its default ${shown(before)}`, because }];
  if (before !== undefined)
    return [
      { impact: "breaking", what: `the default changes from ${shown(before)} to ${shown(after)}`, because, ...at },
    ];
  const what = `gets the default ${shown(after)}`;
  if (direction === "request") return [{ impact: "breaking", what, because, ...at }];
  return [{ impact: "additive", what, because: "Until now a response without it had no defined meaning.", ...at }];
}

/** Compares `additionalProperties`, and schedules the comparison of its schema. */
export function otherFieldChanges(scope: Scope, { before, after }: Pair<Keywords>): SchemaChange[] {
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
