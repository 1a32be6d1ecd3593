import { contentChanges, type OperationChange, withoutCase } from "./bodies.ts";
import { type Documents, type Node, type Pair, paired, type PartChange, unknownChanges } from "./documents.ts";
import { headerChanges } from "./parameters.ts";

/** Compares the responses of an operation. */
export function responsesChanges(documents: Documents, operations: Pair<Node>): OperationChange[] {
  const { before, after } = operations;
  const responses = paired(documents, { before: before["responses"], after: after["responses"] });
  const declared = new Map(responses.map(([status, response]) => [status, response.before]));
  return responses.flatMap(([status, response]): OperationChange[] => {
    if (status.startsWith("x-")) return [];
    const changes = oneResponseChanges(documents, response, { status, declared });
    return changes.map((change) => ({ status, ...change }));
  });
}

function oneResponseChanges(
  documents: Documents,
  { before, after }: Pair<Node | undefined>,
  { status, declared }: { status: string; declared: Map<string, Node | undefined> },
): OperationChange[] {
  if (after === undefined) return [{ impact: "breaking", what: "is removed", because: "Clients may branch on it." }];
  if (before === undefined) {
    const because = "Clients treat an unknown status as its class (RFC 9110, section 15).";
    return [
      { impact: "additive", what: "is added", because, at: { node: after } },
      ...previousContentChanges(documents, status, declared, after),
    ];
  }
  const nodes = { before, after };
  return [
    ...headersChanges(documents, { before: before["headers"], after: after["headers"] }),
    ...contentChanges(documents, "response", { before: before["content"], after: after["content"] }),
    ...linksChanges(documents, { before: before["links"], after: after["links"] }),
    ...unknownChanges(nodes, ["headers", "content", "links"]),
  ];
}

/** A newly declared status fell under its class, or as an error under `default`. Their promises about the body must still hold. */
function previousContentChanges(
  documents: Documents,
  status: string,
  declared: Map<string, Node | undefined>,
  after: Node,
): OperationChange[] {
  const byClass = declared.get(`${status[0]}XX`);
  const before = byClass ?? (/^[45]/.test(status) ? declared.get("default") : undefined);
  if (before === undefined) return [];
  const content = { before: before["content"], after: after["content"] };
  return contentChanges(documents, "response", content).filter(({ impact }) => impact === "breaking");
}

/** Names of headers are case-insensitive (RFC 9110, section 5.1). */
function headersChanges(documents: Documents, headers: Pair<unknown>): OperationChange[] {
  const names = [headers.before, headers.after].flatMap((map) => Object.keys((map ?? {}) as Node));
  const written = new Map(names.map((name) => [name.toLowerCase(), name]));
  const pairs = paired(documents, { before: withoutCase(headers.before), after: withoutCase(headers.after) });
  return pairs.flatMap(([name, { before, after }]): OperationChange[] => {
    const part = `header "${written.get(name)}"`;
    if (before !== undefined && after !== undefined)
      return headerChanges(documents, { before, after }).map((change) => ({ part, ...change }));
    const because = "Clients ignore unknown headers.";
    return [{ part, ...presence({ before, after }, because, "Clients that read it no longer get it.") }];
  });
}

const FOLLOWED = "Clients may follow it today.";

function linksChanges(documents: Documents, links: Pair<unknown>): OperationChange[] {
  return paired(documents, links).flatMap(([name, { before, after }]): OperationChange[] => {
    const part = `link "${name}"`;
    if (before !== undefined && after !== undefined)
      return unknownChanges({ before, after }, []).map((change) => ({ part, ...change, because: FOLLOWED }));
    return [{ part, ...presence({ before, after }, "Clients need not follow it.", FOLLOWED) }];
  });
}

function presence({ after }: Pair<Node | undefined>, whenAdded: string, whenRemoved: string): PartChange {
  if (after === undefined) return { impact: "breaking", what: "is removed", because: whenRemoved };
  return { impact: "additive", what: "is added", because: whenAdded, at: { node: after } };
}
