import { readFile } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { HOLDS_VALUES, IS_MAP, isAnnotation, isRecord } from "openapi-document";
import type { BundledDocument } from "../bundle.ts";
import { ROOT } from "../paths.ts";
import { securitySchemeChanges } from "./access.ts";
import {
  both,
  type Documents,
  type Impact,
  IMPACTS,
  keysOf,
  membersAt,
  messageOf,
  type Node,
  type Pair,
  type PartChange,
  partChanges,
  type PlacedChange,
  unknownChanges,
  verb,
} from "./changes.ts";
import { type Cause, causeFinder } from "./causes.ts";
import { type Approval, byStability, decided, decisionsBeside } from "./decisions.ts";
import { placeFinder } from "./lines.ts";
import { calledChanges, operationChanges } from "./operations.ts";
import { serverChanges, withOneBase } from "./servers.ts";

export { IMPACTS, type Impact, mostSevere } from "./changes.ts";

/** One change from one contract to another. */
export interface ContractChange extends Omit<Change, "at" | "what" | "cause"> {
  /** The place in the later contract or a file of it, relative to the root of the repository; absent for a removal. */
  at?: { file: string; line: number };
  /** Who wants this breaking change, and why. */
  approval?: Approval;
  what?: string;
  cause?: Cause;
}

/** Returns the changes between two bundled contracts, the most severe first. `file` is the source of the later one, if it is here. */
export async function contractChanges(
  before: BundledDocument,
  after: BundledDocument,
  file: string | undefined,
): Promise<ContractChange[]> {
  const decisions = file === undefined ? undefined : decisionsBeside(file);
  const placeOf =
    file === undefined ? () => undefined : placeFinder(await readFile(file, "utf8"), resolve(file), after);
  const changes = compareContracts({ before, after }).map(({ at, ...change }): ContractChange => {
    const place = placeOf(at);
    return { ...change, ...(place && { at: { file: relative(ROOT, place.path), line: place.line } }) };
  });
  const rated: ContractChange[] = byStability(changes, before, after);
  return (decisions ? decided(rated, decisions) : rated).toSorted(
    (one, other) => IMPACTS.indexOf(one.impact) - IMPACTS.indexOf(other.impact),
  );
}

/** One change, without its line in the text of the later contract. */
export interface Change {
  impact: Impact;
  /** The operation or the part of the document, such as `GET /pets`. */
  place: string;
  /** The change, and the reason for its impact. */
  message: string;
  /** The part of the place that changes, and the change: the message without its reason. */
  subject?: string;
  what: string;
  /** The message of the operation that has the changed part. */
  direction?: "request" | "response";
  /** The operations that the change reaches, if the place is none. */
  reaches?: string[];
  cause: Cause;
  at?: PartChange["at"];
}

const DOCUMENT_KEYS = ["openapi", "$self", "info", "servers", "security", "tags", "paths", "webhooks", "components"];

/** The dialects that give schemas the meaning which they have without `jsonSchemaDialect` (OpenAPI 3.1.1, section 4.8.24.5). */
const DEFAULT_DIALECTS =
  /^https:\/\/(spec\.openapis\.org\/oas\/3\.\d\/dialect\/.+|json-schema\.org\/draft\/2020-12\/schema#?)$/;

/**
 * Returns every change from one contract to another with its impact on clients. Each operation's requests are compared
 * apart from its responses. Contracts that differ have at least one change.
 */
export function compareContracts(documents: Documents): Change[] {
  const causeOf = causeFinder(documents);
  return changesBetween(documents).map((change) => {
    const { impact, place, at, direction, subject, what, reaches } = change;
    return {
      impact,
      place,
      message: messageOf(change),
      what,
      ...(subject && { subject }),
      ...(direction && { direction }),
      ...(reaches && { reaches }),
      cause: causeOf(change),
      ...(at && { at }),
    };
  });
}

function changesBetween(documents: Documents): PlacedChange[] {
  try {
    const changes = [
      ...placedChanges(withOneBase(documents)),
      ...annotationChanges(both((side) => documents[side] as unknown as Node)),
    ];
    if (changes.length > 0 || isDeepStrictEqual(documents.before, documents.after)) return changes;
    const [what, because] = ["only the notation changes", "Nothing changes for clients."];
    return [{ place: "the document", impact: "documentation", what, because }];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // the stack is exhausted
    const because = "The comparison cannot rule out that a client breaks.";
    return [{ place: "the document", impact: "breaking", what: "nests too deeply to be compared", because }];
  }
}

function placedChanges(documents: Documents): PlacedChange[] {
  const nodes = both((side) => documents[side] as unknown as Node);
  const components = both((side) => documents[side].components ?? {});
  const webhooks = membersAt(documents, nodes, "webhooks").flatMap(([name, item]) =>
    calledChanges(documents, `webhooks/${name}`, item, "the webhook"),
  );
  return [
    ...serverChanges(nodes, nodes.after).map((change) => ({ ...change, place: "servers" })),
    ...operationChanges(documents),
    ...webhooks,
    ...securitySchemeChanges(documents, components),
    ...namedSchemaChanges(documents, components),
    ...unknownChanges(nodes, keysInUse(nodes)).map((change) => ({ ...change, place: "the document" })),
  ];
}

function keysInUse({ before, after }: Pair<Node>): string[] {
  const isDefault = ({ jsonSchemaDialect: dialect }: Node) =>
    dialect === undefined || (typeof dialect === "string" && DEFAULT_DIALECTS.test(dialect));
  return isDefault(before) && isDefault(after) ? [...DOCUMENT_KEYS, "jsonSchemaDialect"] : DOCUMENT_KEYS;
}

/** Names of schemas are not sent, but generated clients name types after them. */
function namedSchemaChanges(documents: Documents, components: Pair<object>): PlacedChange[] {
  const reasons = { added: "Generated clients get one more type.", removed: "Generated clients name a type after it." };
  return membersAt(documents, components, "schemas").flatMap(([name, schemas]) =>
    partChanges(schemas, reasons, () => []).map((change) => ({
      ...change,
      place: `components/schemas/${name}`,
      subject: "the schema",
    })),
  );
}

/** Extensions that are compared with their operation. */
const COMPARED = /^x-(deprecated-at|sunset|successor|(eov-)?allow-unknown-query-parameters)$/;

/** Returns the changes to descriptions and other annotations, each once. */
export function annotationChanges(nodes: Pair<Node>, path: string[] = [], isMap = false): PlacedChange[] {
  // Behind a new reference the annotations of its target count.
  if (!isMap && "$ref" in nodes.before !== "$ref" in nodes.after) return [];
  return keysOf(nodes).flatMap((key) => {
    const values = { before: nodes.before[key], after: nodes.after[key] };
    if (isMap) return changesWithin(values, [...path, key], false);
    if (isAnnotation(key) || isWhollyText(path, key)) {
      return COMPARED.test(key) || isDeepStrictEqual(values.before, values.after) ? [] : [textChange(nodes, path, key)];
    }
    return HOLDS_VALUES.has(key) ? [] : changesWithin(values, [...path, key], IS_MAP.has(key));
  });
}

function changesWithin({ before, after }: Pair<unknown>, path: string[], isMap: boolean): PlacedChange[] {
  if (isRecord(before) && isRecord(after)) return annotationChanges({ before, after }, path, isMap);
  if (!Array.isArray(before) || !Array.isArray(after)) return [];
  const left = new Set(after.keys());
  return before.flatMap((item: unknown) => {
    const index = [...left].find((each) => identity(after[each]) === identity(item));
    if (index === undefined) return [];
    left.delete(index);
    return changesWithin({ before: item, after: after[index] as unknown }, [...path, String(index)], false);
  });
}

/** The identity of an item of an array: a parameter's name, a server's address, the target of a reference. */
function identity(item: unknown): string | undefined {
  return isRecord(item) ? JSON.stringify(["in", "name", "url", "$ref", "type"].map((key) => item[key])) : undefined;
}

function isWhollyText([first]: string[], key: string): boolean {
  return first === "info" || (first === undefined && key === "tags");
}

function textChange({ before, after }: Pair<Node>, path: string[], key: string): PlacedChange {
  const [first, name, method, ...rest] = path;
  const isOperation = first === "paths" && method !== undefined;
  const place = isOperation ? `${method.toUpperCase()} ${name}` : path.join("/") || "the document";
  return {
    place,
    subject: `\`${key}\`${isOperation && rest.length > 0 ? ` of ${rest.join("/")}` : ""}`,
    part: `\`${key}\``,
    origin: null,
    impact: "documentation",
    what: verb(before[key], after[key]),
    because:
      path.join() === "info" && key === "version"
        ? "It promises nothing by itself."
        : "A description promises nothing.",
    ...(after[key] !== undefined && { at: { node: after, key } }),
  };
}
