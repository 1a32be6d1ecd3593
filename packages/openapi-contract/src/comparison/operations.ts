import { isDeepStrictEqual } from "node:util";
import { type OpenApiDocument, type OperationEntry, operationsOf } from "openapi-document";
import type { OperationChange } from "./content.ts";
import { flagChanges, parametersChanges, requestBodyChanges, responsesChanges } from "./operation-parts.ts";
import {
  both,
  CALLED,
  type Documents,
  type Exchange,
  fromTo,
  keysOf,
  membersAt,
  type Node,
  OPERATION,
  type Pair,
  type PartChange,
  partChanges,
  type PlacedChange,
  type Reasons,
  resolved,
  shown,
  unknownChanges,
} from "./changes.ts";
import { deprecationChanges } from "./schemas.ts";
import { securityChanges } from "./access.ts";
import { serverChanges } from "./servers.ts";
import { unchangedIn } from "./unchanged.ts";

/** Compares the operations of two documents. */
export function operationChanges(documents: Documents): PlacedChange[] {
  const reasons = { added: "Clients need not call it.", removed: "Clients that call it get 404 or 405." };
  const isUnchanged = unchangedIn(documents);
  const changed = pairedOperations(documents).filter((pair) => {
    return !isUnchanged(pair) || !isUnchanged(both((side) => pair[side] && ownServers(documents[side], pair[side])));
  });
  const operations = changed.flatMap((pair) => {
    const { method, path } = (pair.after ?? pair.before)!;
    const changes = exchangeChanges(documents, OPERATION, reasons, pair);
    return groupByStatus(`${method.toUpperCase()} ${path}`, "the operation", changes);
  });
  return [...operations, ...pathChanges(documents)];
}

/** Pairs the operations of two documents. Paths that differ only in the names of their parameters are the same. */
function pairedOperations(documents: Documents): Pair<OperationEntry | undefined>[] {
  const entries = both((side) => operationsByKey(documents[side]));
  return keysOf(entries).map((key) => both((side) => entries[side][key]));
}

function exchangeChanges(
  documents: Documents,
  exchange: Exchange,
  reasons: Reasons,
  pair: Pair<OperationEntry | undefined>,
): OperationChange[] {
  const nodes = both((side) => pair[side]?.operation as Node | undefined);
  return partChanges(nodes, reasons, (own) => changesOf(documents, exchange, pair as Pair<OperationEntry>, own));
}

function operationsByKey(document: OpenApiDocument): Record<string, OperationEntry> {
  const entries = operationsOf(document);
  return Object.fromEntries(
    entries.map((entry) => [`${entry.method} ${entry.path.replaceAll(/\{[^}]*\}/g, "{}")}`, entry]),
  );
}

const LIST = new Intl.ListFormat("en-GB");

/** Merges equal changes of several responses, such as those that share an `Error`, into one. */
function groupByStatus(place: string, whole: string, changes: OperationChange[]): PlacedChange[] {
  const groups = new Map<string, { change: OperationChange; statuses: Set<string> }>();
  for (const change of changes) {
    const { status, at: _, origin: __, referrer: ___, ...common } = change;
    const key = JSON.stringify([status === undefined, common]);
    const group = groups.get(key) ?? { change, statuses: new Set() };
    groups.set(key, group);
    if (status !== undefined) group.statuses.add(status);
  }
  return Array.from(groups.values(), ({ change: { status, part, field, ...change }, statuses }) => {
    const responses = status === undefined ? [] : [`response ${LIST.format(statuses)}`];
    const rest = [part ?? [], field ? `field "${field}"` : []].flat();
    const subject = [...responses, ...rest].join(", ");
    const direction =
      status !== undefined ? "response" : /^request body|^\w+ parameter /.test(part ?? "") ? "request" : undefined;
    return {
      ...change,
      place,
      subject: subject === "" && change.what.startsWith("is ") ? whole : subject,
      ...(direction && { direction }),
      ...(status !== undefined && rest.length > 0 && { part: rest.join(", ") }),
    };
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

function changesOf(
  documents: Documents,
  exchange: Exchange,
  entries: Pair<OperationEntry>,
  operations: Pair<Node>,
): OperationChange[] {
  const { first } = exchange;
  const isCalled = first === "call";
  const { after } = operations;
  return [
    ...nameChanges(operations),
    ...tagChanges(operations),
    ...deprecationChanges(operations, (key) => ({ at: { node: after, ...(key in after && { key }) } })),
    ...securityChanges(documents, entries, isCalled),
    ...(isCalled ? [] : ownServerChanges(documents, entries)),
    ...(isCalled ? [] : UNKNOWN_QUERY_FLAGS.flatMap((key) => flagChanges(first, operations, key))),
    ...parametersChanges(documents, first, entries),
    ...requestBodyChanges(documents, first, operations),
    ...responsesChanges(documents, exchange, operations),
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

/** Extensions that allow undeclared query parameters. */
const UNKNOWN_QUERY_FLAGS = ["x-eov-allow-unknown-query-parameters", "x-allow-unknown-query-parameters"];

/** Compares the servers of an operation with its own ones in either document. The document's are compared once, elsewhere. */
function ownServerChanges(documents: Documents, entries: Pair<OperationEntry>): PartChange[] {
  const own = both((side) => ownServers(documents[side], entries[side]));
  if (own.before === undefined && own.after === undefined) return [];
  const nodes = both((side) => ({ servers: own[side] ?? (documents[side] as { servers?: unknown }).servers }));
  return serverChanges(nodes, entries.after.operation);
}

/** The servers of an operation, or of its path. */
function ownServers(document: OpenApiDocument, { operation, path }: OperationEntry): unknown {
  const item = resolved(document, (document.paths as Record<string, Node>)[path]);
  return (operation as Node)["servers"] ?? item?.["servers"];
}

function callbackChanges(documents: Documents, operations: Pair<Node>): OperationChange[] {
  return membersAt(documents, operations, "callbacks").flatMap(([name, callback]) => {
    const whole = `callback "${name}"`;
    const { before, after } = callback;
    if (before === undefined || after === undefined)
      return partChanges(callback, CALLED_REASONS, () => []).map((change) => ({ ...change, part: whole }));
    const items = { before, after };
    const urls = keysOf(items).filter((key) => !key.startsWith("x-"));
    return urls.flatMap((url) => {
      const changes = calledChanges(
        documents,
        url,
        both((side) => items[side][url]),
        whole,
      );
      return changes.map((called) => {
        const { subject = "", direction: _, ...change } = called; // the direction is not that of the operation
        return { ...change, part: subject === whole ? whole : [whole, subject].filter(Boolean).join(", ") };
      });
    });
  });
}

const CALLED_REASONS = {
  added: "Clients need not implement it.",
  removed: "The service no longer calls clients that implement it.",
};

/** Compares a path item of a webhook or callback. Its requests go to clients, and its responses come from them. */
export function calledChanges(
  documents: Documents,
  place: string,
  items: Pair<unknown>,
  whole: string,
): PlacedChange[] {
  const called = both((side) => ({
    ...documents[side],
    paths: items[side] === undefined ? {} : { [place]: items[side] },
  }));
  const isWhole = items.before === undefined || items.after === undefined;
  const changes = pairedOperations(called).flatMap((pair) => {
    const method = (pair.after ?? pair.before)!.method.toUpperCase();
    const own = exchangeChanges(documents, CALLED, CALLED_REASONS, pair);
    return groupByStatus(place, isWhole ? whole : `${method} of ${whole}`, own);
  });
  return isWhole ? changes.slice(0, 1) : changes;
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
  "query",
  "additionalOperations",
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
