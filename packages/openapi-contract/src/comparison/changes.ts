import { isDeepStrictEqual } from "node:util";
import { type OpenApiDocument, resolve, type Schema, schemasInPlace } from "openapi-document";
import type { SchemaNode } from "./alternatives.ts";
import { isNote } from "./canonical.ts";
import type { Medium } from "./located.ts";

/** The same part of the earlier and of the later contract. */
export interface Pair<Part> {
  before: Part;
  after: Part;
}

/** One of the two contracts. */
export type Side = keyof Pair<unknown>;

/** The two contracts to compare, each bundled into one document. */
export type Documents = Pair<OpenApiDocument>;

/** An object of a document. */
export type Node = Record<string, unknown>;

/** The consequence of a change for the users of the contract. */
export type Impact = "breaking" | "additive" | "documentation";

/** Every impact, the most severe first. */
export const IMPACTS = ["breaking", "additive", "documentation"] as const satisfies Impact[];

/**
 * The direction of a value: from a client to the service, or back; and in a webhook or callback, which the service calls, from the
 * service to a client, or back.
 */
export type Direction = "request" | "response" | "call" | "reply";

/** The directions of the two messages of an operation. */
export interface Exchange {
  first: Direction;
  second: Direction;
}

export const OPERATION: Exchange = { first: "request", second: "response" };
export const CALLED: Exchange = { first: "call", second: "reply" };

/** Returns whether clients send the values, so that the service has to accept those of today. */
export function isFromClient(direction: Direction): boolean {
  return direction === "request" || direction === "reply";
}

/** The effect of a change on the set of valid values. A change that both widens and narrows it, or may do so, replaces it. */
export type Effect = "widens" | "narrows" | "replaces";

/** An impact, with the reason as a sentence. */
export interface Rating {
  impact: Impact;
  because: string;
}

/** The compatibility policy: the service accepts every request that clients send today, and clients understand every response. */
export const RATINGS: Record<Direction, Record<Effect, Rating>> = {
  request: {
    widens: { impact: "additive", because: "Widens the request: the service accepts more." },
    narrows: {
      impact: "breaking",
      because: "Narrows the request: the service rejects requests that clients may send today.",
    },
    replaces: {
      impact: "breaking",
      because: "Changes the request: the service may reject requests that clients send today.",
    },
  },
  response: {
    widens: { impact: "breaking", because: "Widens the response: clients may not understand the new values." },
    narrows: { impact: "additive", because: "Narrows the response: the service promises more." },
    replaces: { impact: "breaking", because: "Changes the response: clients may not understand the new values." },
  },
  call: {
    widens: { impact: "breaking", because: "Widens the call: clients may not understand the new values." },
    narrows: { impact: "additive", because: "Narrows the call: the service promises more." },
    replaces: { impact: "breaking", because: "Changes the call: clients may not understand the new values." },
  },
  reply: {
    widens: { impact: "additive", because: "Widens the reply: the service accepts more." },
    narrows: {
      impact: "breaking",
      because: "Narrows the reply: the service rejects replies that clients may send today.",
    },
    replaces: {
      impact: "breaking",
      because: "Changes the reply: the service may reject replies that clients send today.",
    },
  },
};

/** The reasons for the rating of an optional part that is added, and of one that is removed. */
export interface Reasons {
  added: string;
  removed: string;
}

const SENT = {
  added: "Clients need not send it.",
  removed: "The service rejects or ignores values that clients may send today.",
};
const RECEIVED = { added: "Clients ignore unknown values.", removed: "Clients that read it no longer get it." };

/** The reasons for the rating of a part of a message. */
export const PART_REASONS: Record<Direction, Reasons> = {
  request: SENT,
  reply: SENT,
  response: RECEIVED,
  call: RECEIVED,
};

/** Returns the most severe impact; undefined for an empty list. */
export function mostSevere(impacts: Impact[]): Impact | undefined {
  return IMPACTS.find((impact) => impacts.includes(impact));
}

/** A change to a part, with its rating. */
export interface PartChange extends Rating {
  /** A predicate such as "is added", or a whole sentence; both begin in lower case. */
  what: string;
  /** The changed node of the later document, or a key of it; absent for a removal. */
  at?: { node: object; key?: string };
  /** The changed node of either document, its key, and the field in it; absent if it is `at`, and null if that tells nothing. */
  origin?: { node: SchemaNode | object; key?: string; field?: string } | null;
  /** The part that refers to another component than before, and has the changed one behind it. Null if that is the operation. */
  referrer?: PartChange["origin"];
}

/** A change with its place, such as `GET /pets`, and the part there, if any, as its subject. */
export interface PlacedChange extends PartChange {
  place: string;
  subject?: string;
  /** The message of the operation that has the part. */
  direction?: "request" | "response";
  /** The operations that the change reaches, if the place is none. */
  reaches?: string[];
  /** The subject without the status of the response, unless that is all of it. */
  part?: string;
}

/** Pairs what a function returns for each of the contracts. */
export function both<Part>(of: (side: Side) => Part): Pair<Part> {
  return { before: of("before"), after: of("after") };
}

/**
 * Pairs the members of the maps at a key of two nodes by their names, as the later contract writes them. References are
 * resolved. Names with the same `canonical` form are equal.
 */
export function membersAt(
  documents: Documents,
  nodes: Pair<object>,
  key: string,
  canonical = (name: string) => name,
): [name: string, Pair<Node | undefined>][] {
  const maps = both((side) => {
    const entries = Object.entries((nodes[side] as Record<string, Node>)[key] ?? {});
    return new Map(entries.map((entry) => [canonical(entry[0]), entry]));
  });
  return [...new Set([...maps.before.keys(), ...maps.after.keys()])].map((id) => {
    const [name] = (maps.after.get(id) ?? maps.before.get(id))!;
    return [name, both((side) => resolved(documents[side], maps[side].get(id)?.[1]))];
  });
}

/** Returns the target of a part that may be a reference, or undefined for a part that is absent. */
export function resolved(document: OpenApiDocument, part: unknown): Node | undefined {
  return part === undefined ? undefined : resolve<Node>(document, part as Node);
}

/** Compares a part. One that only the later contract has is additive, and a removed one is breaking, for the given reasons. */
export function partChanges<Change extends PartChange>(
  { before, after }: Pair<Node | undefined>,
  reasons: Reasons,
  compare: (nodes: Pair<Node>) => Change[],
): (Change | PartChange)[] {
  if (before !== undefined && after !== undefined) return compare({ before, after });
  if (after !== undefined)
    return [{ impact: "additive", what: "is added", because: reasons.added, at: { node: after } }];
  return before === undefined ? [] : [{ impact: "breaking", what: "is removed", because: reasons.removed }];
}

/** The keys of either node, each once. */
export function keysOf({ before, after }: Pair<object>): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])];
}

/** Returns changes to keys that the comparison does not support. They count as breaking. */
export function unknownChanges(nodes: Pair<Node>, known: readonly string[]): PartChange[] {
  const { before, after } = nodes;
  return keysOf(nodes)
    .filter((key) => !known.includes(key) && !isNote(key) && !isDeepStrictEqual(before[key], after[key]))
    .map((key) => ({
      impact: "breaking",
      what: `\`${key}\` ${verb(before[key], after[key])}`,
      because: "The comparison does not support this keyword, so it cannot rule out that a client breaks.",
      at: { node: after, key },
    }));
}

/** The message of a change: subject, predicate, and the reason for its impact. */
export function messageOf(change: Pick<PlacedChange, "subject" | "what" | "because">): string {
  return `${sentenceOf(change)} ${change.because}`;
}

/** The message of a change without the reason. */
export function sentenceOf({ subject = "", what }: Pick<PlacedChange, "subject" | "what">): string {
  const text = subject === "" ? what : `${subject}${isPredicate(what) ? "" : ":"} ${what}`;
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}

/** Returns whether the text needs a subject. */
export function isPredicate(what: string): boolean {
  return /^(is|becomes|gets|loses|changes)\b/.test(what);
}

export function verb(before: unknown, after: unknown): "is added" | "is removed" | "changes" {
  if (before === undefined) return "is added";
  return after === undefined ? "is removed" : "changes";
}

/** The predicate of a value that changes. */
export function fromTo(before: unknown, after: unknown): string {
  return `changes from ${shown(before)} to ${shown(after)}`;
}

/** A value as JSON for a message, shortened to 80 characters. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** A change within a schema. `field` is a path such as `[].status`, or empty for the value itself. */
export interface SchemaChange extends PartChange {
  field: string;
  /** The effect on the set of valid values, if the rating follows from it. */
  effect?: Effect;
}

/** The position of a comparison of schemas. */
export interface Scope {
  documents: Documents;
  direction: Direction;
  medium: Medium;
  field: string;
  /** The schema of the later document, references unresolved. */
  node: SchemaNode;
  /** That of the earlier document. */
  earlier: SchemaNode;
  /** Schedules the comparison of nested schemas. */
  compare(scope: Pick<Scope, "field" | "medium">, schemas: Pair<SchemaNode>): void;
}

/** Returns a change rated by its effect on the set of valid values. `key` is the keyword of the later document. */
export function effect(scope: Scope, kind: Effect, what: string, key?: string): SchemaChange {
  const { documents, direction, field, node, earlier } = scope;
  const place = key === undefined ? {} : findKeyword(documents, node, key);
  const gone =
    place.at === undefined && key !== undefined ? findKeyword({ after: documents.before }, earlier, key) : {};
  const found = place.at ?? gone.at ?? { node };
  return { ...RATINGS[direction][kind], effect: kind, what, field, ...place, origin: { ...found, field } };
}

/** Returns a change of what only the earlier document has at a keyword. */
export function loss(scope: Scope, kind: Effect, what: string, key: string): SchemaChange {
  const { documents, earlier, field } = scope;
  const { at } = findKeyword({ after: documents.before }, earlier, key);
  return { ...effect(scope, kind, what), ...(at && { origin: { ...at, field } }) };
}

/** The keyword that another notation has in place of a keyword. */
const NOTATIONS: Record<string, string> = {
  enum: "const",
  contentEncoding: "format",
  contentMediaType: "format",
  dependentRequired: "dependentSchemas",
  additionalProperties: "unevaluatedProperties",
  maxItems: "items",
};

const SHARED = new Set(["$ref", "allOf", "anyOf", "oneOf"]);

/** Finds a keyword of a schema, or a name in the keyword's value: in the schema itself, behind its `$ref`, or in a member of its `allOf`, `anyOf` or `oneOf`. */
export function findKeyword(
  { after: document }: Pick<Documents, "after">,
  schema: SchemaNode,
  key: string,
  name?: string,
): Pick<PartChange, "at"> {
  const seen = new Set<SchemaNode>();
  const holderOf = (node: SchemaNode): Schema | undefined => {
    if (typeof node === "boolean" || seen.has(node)) return undefined;
    seen.add(node);
    if (Object.hasOwn(node, key) && (name === undefined || Object.hasOwn(node[key] as object, name))) return node;
    const parts = schemasInPlace(document, node).filter(({ keyword }) => SHARED.has(keyword));
    return parts.map((part) => holderOf(part.schema)).find((found) => found !== undefined);
  };
  const holder = holderOf(schema);
  const other = name === undefined ? NOTATIONS[key] : undefined;
  if (holder === undefined) return other === undefined ? {} : findKeyword({ after: document }, schema, other);
  return { at: name === undefined ? { node: holder, key } : { node: holder[key] as object, key: name } };
}
