import { isDeepStrictEqual } from "node:util";
import { isAnnotation, type OperationEntry, operationsOf, requirementsOf } from "openapi-document";
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
  type Side,
} from "./changes.ts";

/**
 * Compares the security of an operation: a client that met one requirement must still meet one (OpenAPI 3.1, "Security
 * Requirement Object"). In a call the service presents the credentials, so each of its later requirements must be one of today.
 */
export function securityChanges(documents: Documents, entries: Pair<OperationEntry>, isCalled: boolean): PartChange[] {
  const renamed = renamedSchemes(documents);
  const { before, after } = both((side) =>
    needsOf(requirementsOf(documents[side], entries[side]), side === "before" ? renamed : new Map()),
  );
  if (isDeepStrictEqual(new Set(before.map(String)), new Set(after.map(String)))) return [];
  const [given, needed] = isCalled ? [after, before] : [before, after];
  const isEnough = given.every((has) => needed.some((needs) => needs.every((need) => has.includes(need))));
  const what = `the security changes from ${listed(before)} to ${listed(after)}`;
  const { operation } = entries.after;
  const at = { node: operation, ...(operation.security !== undefined && { key: "security" }) };
  const because = isCalled
    ? `The credentials that the service presents ${isEnough ? "still" : "may no longer"} satisfy clients.`
    : `The credentials that clients send today ${isEnough ? "still" : "no longer"} suffice.`;
  return [{ impact: isEnough ? "additive" : "breaking", what, because, at }];
}

/** Returns the later name of each scheme that only has another name. Names of schemes are not sent. */
function renamedSchemes(documents: Documents): Map<string, string> {
  const schemes = both(
    (side): Record<string, unknown> =>
      (documents[side].components as { securitySchemes?: Node })?.securitySchemes ?? {},
  );
  const contentOf = (side: Side, name: string) => {
    const { description: _, scheme, ...others } = resolved(documents[side], schemes[side][name])!;
    return { ...others, scheme: String(scheme).toLowerCase() };
  };
  const added = Object.keys(schemes.after).filter((name) => !Object.hasOwn(schemes.before, name));
  const removed = Object.keys(schemes.before).filter((name) => !Object.hasOwn(schemes.after, name));
  return new Map(
    removed.flatMap((name) => {
      const same = added.filter((other) => isDeepStrictEqual(contentOf("before", name), contentOf("after", other)));
      return same.length === 1 ? [[name, same[0]!]] : [];
    }),
  );
}

/** Each requirement as an array of its schemes and scopes, such as `bearerAuth` and `bearerAuth (pets:read)`. */
function needsOf(requirements: Record<string, string[]>[], renamed: Map<string, string>): string[][] {
  const needs = requirements.map((schemes) =>
    Object.entries(schemes).flatMap(([name, scopes]) => {
      const scheme = renamed.get(name) ?? name;
      return [scheme, ...scopes.map((scope) => `${scheme} (${scope})`)];
    }),
  );
  return needs.length === 0 ? [[]] : needs.map((each) => each.toSorted());
}

function listed(requirements: string[][]): string {
  const isImplied = (need: string, needs: string[]) => needs.some((other) => other.startsWith(`${need} (`));
  const texts = requirements.map((needs) => needs.filter((need) => !isImplied(need, needs)).join(" and ") || "none");
  return texts.join(", or ");
}

/** Compares security schemes that both documents have. Added and removed ones show in the operations that use them. */
export function securitySchemeChanges(documents: Documents, components: Pair<object>): PlacedChange[] {
  return membersAt(documents, components, "securitySchemes").flatMap(([name, { before, after }]) => {
    if (before === undefined || after === undefined) return [];
    const changes = schemeChanges(documents, { before, after });
    if (changes.length === 0) return [];
    const reached = operationsOf(documents.after).filter((entry) =>
      requirementsOf(documents.after, entry).some((requirement) => Object.hasOwn(requirement, name)),
    );
    const reaches = reached.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    return changes.map((change) => ({ ...change, place: `components/securitySchemes/${name}`, reaches }));
  });
}

function schemeChanges(documents: Documents, schemes: Pair<Node>): PartChange[] {
  const { before, after } = schemes;
  // Names of HTTP schemes and of header fields are case-insensitive (RFC 9110, sections 11.1 and 5.1).
  const value = (node: Node, key: string) =>
    key === "scheme" || (key === "name" && node["in"] === "header") ? String(node[key]).toLowerCase() : node[key];
  const changes = keysOf(schemes)
    .filter((key) => !isAnnotation(key) && key !== "flows" && value(before, key) !== value(after, key))
    .map((key): PartChange => {
      const because = "Clients have to authenticate in another way.";
      return {
        impact: "breaking",
        what: `\`${key}\` ${fromTo(before[key], after[key])}`,
        because,
        at: { node: after, key },
      };
    });
  return [...changes, ...membersAt(documents, schemes, "flows").flatMap((flow) => flowChanges(documents, ...flow))];
}

function flowChanges(documents: Documents, name: string, flow: Pair<Node | undefined>): PartChange[] {
  const reasons = { added: "Clients need not use it.", removed: "Clients may use it today." };
  const subject = `the flow \`${name}\``;
  const changes = partChanges(flow, reasons, ({ before, after }): PartChange[] => {
    const without = (own: Node) => ({ ...own, scopes: null, refreshUrl: null });
    const isKept = isDeepStrictEqual(without(before), without(after));
    const [refresh, current] = [before["refreshUrl"], after["refreshUrl"]];
    if (isKept && refresh === current) return [];
    if (isKept && refresh === undefined) {
      const optional = "Clients need not refresh their tokens there.";
      return [{ impact: "additive", what: "gets a `refreshUrl`", because: optional, at: { node: after } }];
    }
    const because = "Clients have to get their tokens in another way.";
    return [{ impact: "breaking", what: "changes", because, at: { node: after } }];
  });
  return [
    ...scopeChanges(documents, flow, subject),
    ...changes.map((change) => ({ ...change, what: `${subject} ${change.what}` })),
  ];
}

/** Compares the scopes of a flow that both documents have. */
function scopeChanges(documents: Documents, { before, after }: Pair<Node | undefined>, flow: string): PartChange[] {
  if (before === undefined || after === undefined) return [];
  const reasons = { added: "Clients need not ask for it.", removed: "Clients may ask for it today." };
  return membersAt(documents, { before, after }, "scopes").flatMap(([scope, texts]) => {
    const changes = partChanges(texts, reasons, ({ before: old, after: current }): PartChange[] => {
      if (old === current) return [];
      return [{ impact: "documentation", what: "has a new description", because: "A description promises nothing." }];
    });
    return changes.map((change) => ({
      ...change,
      what: `the scope "${scope}" of ${flow} ${change.what}`,
      at: { node: after },
    }));
  });
}
