import { isDeepStrictEqual } from "node:util";
import { type OpenApiDocument, type OperationEntry, operationsOf, resolve } from "openapi-document";
import { type OperationChange, requestBodyChanges } from "./bodies.ts";
import { type Documents, type Node, type Pair, paired, type PartChange, shown, unknownChanges } from "./documents.ts";
import { flagChanges, parametersChanges } from "./parameters.ts";
import { responsesChanges } from "./responses.ts";
import { deprecationChanges, DEPRECATION } from "./schemas.ts";
import { securityChanges } from "./security.ts";
import { serverChanges } from "./servers.ts";

/** A change to an operation or a path, with the part as its subject. */
export interface PlacedChange extends PartChange {
  place: string;
  subject: string;
}

/** Compares the operations of two documents. Paths that differ only in the names of their parameters are the same. */
export function operationChanges(documents: Documents): PlacedChange[] {
  const [before, after] = [operationsByKey(documents.before), operationsByKey(documents.after)];
  const operations = [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
    const [old, current] = [before.get(key), after.get(key)];
    const { method, path } = (current ?? old)!;
    const [place, subject] = [`${method.toUpperCase()} ${path}`, "the operation"];
    if (current === undefined) {
      const because = "Clients that call it get 404 or 405.";
      return [{ place, subject, impact: "breaking", what: "is removed", because } satisfies PlacedChange];
    }
    if (old !== undefined) return groupByStatus(place, changesOf(documents, { before: old, after: current }));
    const at = { node: current.operation };
    return [
      {
        place,
        subject,
        impact: "additive",
        what: "is added",
        because: "Clients need not call it.",
        at,
      } satisfies PlacedChange,
    ];
  });
  return [...operations, ...pathChanges(documents)];
}

function operationsByKey(document: OpenApiDocument): Map<string, OperationEntry> {
  const entries = operationsOf(document);
  return new Map(entries.map((entry) => [`${entry.method} ${entry.path.replaceAll(/\{[^}]*\}/g, "{}")}`, entry]));
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

function changesOf(documents: Documents, entries: Pair<OperationEntry>): OperationChange[] {
  const operations = { before: entries.before.operation as Node, after: entries.after.operation as Node };
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
  const what = `the operationId changes from ${shown(old)} to ${shown(current)}`;
  const because = "Calls in generated clients use this name.";
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
      const what = `\`${key}\` changes from ${shown(before[key])} to ${shown(after[key])}`;
      return { ...DEPRECATION, what, at: { node: after, key } };
    }),
  ];
}

/** Extensions that allow undeclared query parameters. */
const UNKNOWN_QUERY_FLAGS = ["x-eov-allow-unknown-query-parameters", "x-allow-unknown-query-parameters"];

/** Compares the servers of an operation with its own ones in either document. The document's are compared once, elsewhere. */
function ownServerChanges(documents: Documents, entries: Pair<OperationEntry>): PartChange[] {
  const servers = (side: keyof Documents) => {
    const { operation, path } = entries[side];
    const { paths = {} } = documents[side];
    const item = resolve<Node>(documents[side], (paths as Record<string, Node>)[path]!);
    return (operation as Node)["servers"] ?? item["servers"];
  };
  const [before, after] = [servers("before"), servers("after")];
  if (before === undefined && after === undefined) return [];
  const all = (document: OpenApiDocument) => (document as unknown as Node)["servers"];
  const nodes = {
    before: { servers: before ?? all(documents.before) },
    after: { servers: after ?? all(documents.after) },
  };
  return serverChanges(nodes, entries.after.operation);
}

function callbackChanges(documents: Documents, operations: Pair<Node>): OperationChange[] {
  const { before, after } = operations;
  const callbacks = paired(documents, { before: before["callbacks"], after: after["callbacks"] });
  return callbacks.flatMap(([name, callback]) => {
    const changes = keysIn(callback).flatMap((key) =>
      calledChanges(documents, key, { before: callback.before?.[key], after: callback.after?.[key] }),
    );
    return changes.map((change) => ({ part: `callback "${name}"`, ...change }));
  });
}

function keysIn({ before = {}, after = {} }: Pair<Node | undefined>): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => !key.startsWith("x-"));
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
  const at = changed?.at === undefined ? {} : { at: changed.at };
  return changed === undefined
    ? []
    : [{ impact: "breaking", what: "changes", because: "Clients implement it as it is today.", ...at }];
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
  const { before, after } = documents;
  return paired(documents, { before: before.paths, after: after.paths }).flatMap(([place, item]) => {
    const nodes = { before: item.before ?? {}, after: item.after ?? {} };
    return unknownChanges(nodes, PATH_KEYS).map((change) => ({ ...change, place, subject: "" }));
  });
}
