import { isDeepStrictEqual } from "node:util";
import { IS_MAP, isAnnotation, pointerKeys } from "openapi-document";
import { type Documents, isPredicate, type PlacedChange } from "./changes.ts";
import { hunkAt, memberKey, valuesAt } from "./hunks.ts";

/** What the changes of several operations have in common if one change to the contract reaches them all. */
export interface Cause {
  /** Equal for the changes of one cause. */
  key: string;
  /** The component that changes, such as `components/schemas/Pet`. */
  place?: string;
  /** The part that changes, whichever operation it is of. */
  subject: string;
  /** Returns the changed lines as YAML; none if they are not in the same place in both documents. */
  hunk(): string[];
}

/** The object around a node, and the key of the node. */
type Holders = Map<object, { node: object; key: string }>;

/** Returns a function that finds the cause of a change from one document to another. */
export function causeFinder(documents: Documents): (change: PlacedChange) => Cause {
  let holders: Holders | undefined;
  return (change) => {
    holders ??= holdersIn(documents);
    const { at, referrer } = change;
    const member = at?.key === undefined ? change.origin : at;
    const path = member?.key === undefined ? [] : [...pathOf(member.node, holders), member.key];
    const own: PlacedChange["origin"] = change.origin === undefined ? member : change.origin;
    const isBehind = referrer !== undefined && !(own && isChanged(documents, path));
    const origin = isBehind ? referrer : own;
    const originPath = pathOf(origin?.node, holders);
    const cause = componentCause(originPath, origin?.field, change) ?? commonCause(change);
    const lines = isBehind && referrer ? [...originPath, "properties", referrer.field ?? ""] : path;
    return { ...cause, hunk: () => (lines.length === 0 ? [] : hunkAt(documents, lines)) };
  };
}

function isChanged(documents: Documents, path: string[]): boolean {
  const { before, after } = valuesAt(documents, path);
  return !isDeepStrictEqual(before, after);
}

function holdersIn({ before, after }: Documents): Holders {
  const holders: Holders = new Map();
  const left: object[] = [before, after];
  for (let node = left.pop(); node !== undefined; node = left.pop())
    for (const [key, value] of Object.entries(node) as [string, unknown][]) {
      if (typeof value !== "object" || value === null || holders.has(value)) continue;
      holders.set(value, { node, key: memberKey(node, key) });
      left.push(value);
    }
  return holders;
}

/** Returns the keys that lead to a node from the root of its document, and to the target of a reference. */
function pathOf(node: unknown, holders: Holders): string[] {
  if (typeof node !== "object" || node === null) return [];
  const { $ref } = node as { $ref?: unknown };
  if (typeof $ref === "string") return pointerKeys($ref);
  const path: string[] = [];
  for (let each = holders.get(node); each !== undefined; each = holders.get(each.node)) path.unshift(each.key);
  return path;
}

/** The names of what a component is. */
const KINDS: Record<string, string> = {
  schemas: "schema",
  parameters: "parameter",
  responses: "response",
  headers: "header",
  requestBodies: "request body",
};

/** Returns the cause of a change in a component, at a path and a field behind it. */
function componentCause(
  [first, section = "", name = "", ...path]: string[],
  field = "",
  { what }: PlacedChange,
): Omit<Cause, "hunk"> | undefined {
  const kind = KINDS[section];
  if (first !== "components" || kind === undefined) return undefined;
  const place = `components/${section}/${name}`;
  const whole = `${fieldIn(path)}${field === "" ? "" : `.${field}`}`.replaceAll(/^\.|\.(?=\[)/g, "");
  const subject = whole === "" ? (isPredicate(what) ? `the ${kind}` : "") : `field "${whole}"`;
  return { key: JSON.stringify([place, path, field, what]), place, subject };
}

/** Returns the field of a value at a path within a component. */
function fieldIn([key, ...path]: string[]): string {
  if (key === undefined) return "";
  const [name = "", ...rest] = path;
  if (key === "properties") return (name && `.${name}`) + fieldIn(rest);
  if (key === "patternProperties") return `./${name}/${fieldIn(rest)}`;
  if (key === "prefixItems") return `[${name}]${fieldIn(rest)}`;
  if (key === "items") return `[]${fieldIn(path)}`;
  if (key === "additionalProperties") return `.*${fieldIn(path)}`;
  return fieldIn(IS_MAP.has(key) ? rest : path);
}

/** Returns the cause of changes that read the same for several operations, whatever the status of a response. */
function commonCause(change: PlacedChange): Omit<Cause, "hunk"> {
  const { place, subject = "", what, direction, part, impact, reaches } = change;
  const response = `response${part?.startsWith("header") ? "" : ","} ${part}`;
  const common = part === undefined ? subject : direction === undefined ? part : response;
  const isWhole = /^the (operation|schema)$/.test(subject);
  const content = isWhole || impact === "documentation" ? "" : contentOf(change);
  const isAlone = reaches !== undefined || (isWhole && what !== "is added");
  const key = JSON.stringify([isAlone && place, common, what, content]);
  return { key, subject: common };
}

/** What is added, without its descriptions: equal parts of several operations are one change to a reader. */
function contentOf({ at, what }: PlacedChange): string {
  const [node, key] = [at?.node as Record<string, unknown> | undefined, at?.key];
  if (node === undefined || (key === undefined && !what.startsWith("is added"))) return "";
  return (
    JSON.stringify(key === undefined ? node : node[key], (name, value: unknown) =>
      isAnnotation(name) ? undefined : value,
    ) ?? ""
  );
}
