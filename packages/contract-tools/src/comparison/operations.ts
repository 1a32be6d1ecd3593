import { isDeepStrictEqual } from "node:util";
import { type OpenApiDocument, type OperationEntry, operationsOf } from "openapi-document";
import {
  flagChanges,
  type OperationChange,
  parametersChanges,
  requestBodyChanges,
  responsesChanges,
} from "./operation-parts.ts";
import {
  both,
  type Documents,
  fromTo,
  keysOf,
  membersAt,
  type Node,
  type Pair,
  type PartChange,
  partChanges,
  type PlacedChange,
  resolved,
  shown,
  unknownChanges,
} from "./changes.ts";
import { deprecationChanges, DEPRECATION } from "./schemas.ts";
import { securityChanges, serverChanges } from "./access.ts";

/** Compares the operations of two documents. Paths that differ only in the names of their parameters are the same. */
export function operationChanges(documents: Documents): PlacedChange[] {
  const reasons = { added: "Clients need not call it.", removed: "Clients that call it get 404 or 405." };
  const entries = both((side) => operationsByKey(documents[side]));
  const operations = keysOf(entries).flatMap((key) => {
    const pair = both((side) => entries[side][key]);
    const { method, path } = (pair.after ?? pair.before)!;
    const changes = partChanges(
      both((side) => pair[side]?.operation as Node | undefined),
      reasons,
      (nodes) => changesOf(documents, pair as Pair<OperationEntry>, nodes),
    );
    return groupByStatus(`${method.toUpperCase()} ${path}`, changes);
  });
  return [...operations, ...pathChanges(documents)];
}

function operationsByKey(document: OpenApiDocument): Record<string, OperationEntry> {
  const entries = operationsOf(document);
  return Object.fromEntries(
    entries.map((entry) => [`${entry.method} ${entry.path.replaceAll(/\{[^}]*\}/g, "{}")}`, entry]),
  );
}

const LIST = new Intl.ListFormat("en-GB");

/** Merges equal changes of several responses, such as those that share an `Error`, into one. */
function groupByStatus(place: string, changes: OperationChange[]): PlacedChange[] {
  const groups = new Map<string, { change: OperationChange; statuses: Set<string> }>();
  for (const change of changes) {
    const { status, at: _, ...common } = change;
    const key = JSON.stringify([status === undefined, common]);
    const group = groups.get(key) ?? { change, statuses: new Set() };
    groups.set(key, group);
    if (status !== undefined) group.statuses.add(status);
  }
  return Array.from(groups.values(), ({ change: { status, part, field, ...change }, statuses }) => {
    const responses = status === undefined ? [] : [`response ${LIST.format(statuses)}`];
    const subject = [...responses, part ?? [], field ? `field "${field}"` : []].flat().join(", ");
    return { ...change, place, subject: subject === "" && change.what.startsWith("is ") ? "the operation" : subject };
  });
}

const OPERATION_KEYS = [
  "operationId",
  "tags",
  "deprecated",
  "security",
  "servers",
  "parameters",
  "requestBody",
  "responses",
  "callbacks",
];

function changesOf(documents: Documents, entries: Pair<OperationEntry>, operations: Pair<Node>): OperationChange[] {
  return [
    ...nameChanges(operations),
    ...tagChanges(operations),
    ...announcementChanges(operations),
    ...securityChanges(documents, entries),
    ...ownServerChanges(documents, entries),
    ...UNKNOWN_QUERY_FLAGS.flatMap((key) => flagChanges(operations, key)),
    ...parametersChanges(documents, entries),
    ...requestBodyChanges(documents, operations),
    ...responsesChanges(documents, operations),
    ...callbackChanges(documents, operations),
    ...unknownChanges(operations, OPERATION_KEYS),
  ];
}

function nameChanges({ before, after }: Pair<Node>): PartChange[] {
  const [old, current] = [before["operationId"], after["operationId"]];
  if (old === current) return [];
  const [what, because] = [`the operationId ${fromTo(old, current)}`, "Calls in generated clients use this name."];
  return [{ impact: "breaking", what, because, at: { node: after, key: "operationId" } }];
}

/** Many generators write a class or a module for each tag, or for the first one. */
function tagChanges({ before, after }: Pair<Node>): PartChange[] {
  const [old, current] = [before, after].map(({ tags = [] }) => tags as string[]) as [string[], string[]];
  if (isDeepStrictEqual(old, current)) return [];
  const what = `the tags change from ${shown(old)} to ${shown(current)}`;
  const at = { node: after, key: "tags" };
  const isKept = old[0] === current[0] && old.every((tag) => current.includes(tag));
  if (isKept) return [{ impact: "additive", what, because: "Generated clients keep the call in its first group.", at }];
  return [{ impact: "breaking", what, because: "Generated clients group their calls by tag.", at }];
}

function announcementChanges({ before, after }: Pair<Node>): PartChange[] {
  const dates = ["x-deprecated-at", "x-sunset", "x-successor"].filter((key) => before[key] !== after[key]);
  return [
    ...deprecationChanges({ before, after }, { node: after, key: "deprecated" }),
    ...dates.map((key): PartChange => {
      return { ...DEPRECATION, what: `\`${key}\` ${fromTo(before[key], after[key])}`, at: { node: after, key } };
    }),
  ];
}

/** Extensions that allow undeclared query parameters. */
const UNKNOWN_QUERY_FLAGS = ["x-eov-allow-unknown-query-parameters", "x-allow-unknown-query-parameters"];

/** Compares the servers of an operation with its own ones in either document. The document's are compared once, elsewhere. */
function ownServerChanges(documents: Documents, entries: Pair<OperationEntry>): PartChange[] {
  const own = both((side) => {
    const { operation, path } = entries[side];
    const item = resolved(documents[side], (documents[side].paths as Record<string, Node>)[path]);
    return (operation as Node)["servers"] ?? item?.["servers"];
  });
  if (own.before === undefined && own.after === undefined) return [];
  const nodes = both((side) => ({ servers: own[side] ?? (documents[side] as { servers?: unknown }).servers }));
  return serverChanges(nodes, entries.after.operation);
}

function callbackChanges(documents: Documents, operations: Pair<Node>): OperationChange[] {
  return membersAt(documents, operations, "callbacks").flatMap(([name, callback]) => {
    const items = both((side) => callback[side] ?? {});
    const urls = keysOf(items).filter((key) => !key.startsWith("x-"));
    const changes = urls.flatMap((url) =>
      calledChanges(
        documents,
        url,
        both((side) => items[side][url]),
      ),
    );
    return changes.map((change) => ({ part: `callback "${name}"`, ...change }));
  });
}

/** Compares a path item of a webhook or callback. Clients implement it, so every change but of documentation is breaking. */
export function calledChanges(documents: Documents, path: string, { before, after }: Pair<unknown>): PartChange[] {
  if (before === undefined)
    return [{ impact: "additive", what: "is added", because: "Clients need not implement it." }];
  if (after === undefined)
    return [
      { impact: "breaking", what: "is removed", because: "The service no longer calls clients that implement it." },
    ];
  const changes = operationChanges({
    before: { ...documents.before, paths: { [path]: before } },
    after: { ...documents.after, paths: { [path]: after } },
  });
  const changed = changes.find(({ impact }) => impact !== "documentation");
  if (changed === undefined) return [];
  const at = changed.at && { at: changed.at };
  return [{ impact: "breaking", what: "changes", because: "Clients implement it as it is today.", ...at }];
}

const PATH_KEYS = [
  "get",
  "put",
  "post",
  "delete",
  "options",
  "head",
  "patch",
  "trace",
  "parameters",
  "servers",
  "$ref",
];

function pathChanges(documents: Documents): PlacedChange[] {
  return membersAt(documents, documents, "paths").flatMap(([place, item]) =>
    unknownChanges(
      both((side) => item[side] ?? {}),
      PATH_KEYS,
    ).map((change) => ({ ...change, place })),
  );
}
