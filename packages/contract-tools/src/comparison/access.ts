import { isDeepStrictEqual } from "node:util";
import { isAnnotation, type OperationEntry, requirementsOf } from "openapi-document";
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
  shown,
} from "./changes.ts";

/** Compares the security of an operation: a client that met one requirement must still meet one (OpenAPI 3.1, "Security Requirement Object"). */
export function securityChanges(documents: Documents, entries: Pair<OperationEntry>): PartChange[] {
  const { before, after } = both((side) =>
    needsOf(requirementsOf(documents[side], entries[side]) as Record<string, string[]>[]),
  );
  if (isDeepStrictEqual(new Set(before.map(String)), new Set(after.map(String)))) return [];
  const isEnough = before.every((has) => after.some((needs) => needs.every((need) => has.includes(need))));
  const what = `the security changes from ${listed(before)} to ${listed(after)}`;
  const { operation } = entries.after;
  const at = { node: operation, ...(operation.security !== undefined && { key: "security" }) };
  const because = `The credentials that clients send today ${isEnough ? "still" : "no longer"} suffice.`;
  return [{ impact: isEnough ? "additive" : "breaking", what, because, at }];
}

/** Each requirement as an array of its schemes and scopes, such as `bearerAuth` and `bearerAuth (pets:read)`. */
function needsOf(requirements: Record<string, string[]>[]): string[][] {
  const needs = requirements.map((schemes) =>
    Object.entries(schemes).flatMap(([scheme, scopes]) => [scheme, ...scopes.map((scope) => `${scheme} (${scope})`)]),
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
    return changes.map((change) => ({ ...change, place: `components/securitySchemes/${name}` }));
  });
}

function schemeChanges(documents: Documents, schemes: Pair<Node>): PartChange[] {
  const { before, after } = schemes;
  // Names of HTTP schemes are case-insensitive (RFC 9110, section 11.1).
  const value = (node: Node, key: string) => (key === "scheme" ? String(node[key]).toLowerCase() : node[key]);
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
  const changes = partChanges(flow, reasons, ({ before, after }) => {
    if (isDeepStrictEqual({ ...before, scopes: null }, { ...after, scopes: null })) return [];
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

/** Compares the servers of two nodes. Generated clients call the first one by default, so its change counts too. */
export function serverChanges(nodes: Pair<{ servers?: unknown }>, holder: object): PartChange[] {
  const serversOf = ({ servers = [{ url: "/" }] }: { servers?: unknown }) => servers as Node[];
  const [before, after] = [serversOf(nodes.before), serversOf(nodes.after)];
  const at = { node: holder, key: "servers" };
  const [old, first] = [before[0]?.["url"], after[0]?.["url"]];
  const removed = before.flatMap((server): PartChange[] => {
    const url = shown(server["url"]);
    const current = after.find((each) => each["url"] === server["url"]);
    if (current === undefined)
      return [{ impact: "breaking", what: `the server ${url} is removed`, because: "Clients call it today.", at }];
    if (isDeepStrictEqual(withoutAnnotations(server), withoutAnnotations(current))) return [];
    const because = "Clients may call another address than today.";
    return [{ impact: "breaking", what: `the variables of the server ${url} change`, because, at }];
  });
  const added = after
    .filter(({ url }) => !before.some((server) => server["url"] === url))
    .map(({ url }): PartChange => {
      const what = `the server ${shown(url)} is added`;
      return { impact: "additive", what, because: "Clients need not call it.", at };
    });
  if (first === old || !after.some(({ url }) => url === old)) return [...removed, ...added];
  const because = "Generated clients call the first server by default.";
  return [...removed, ...added, { impact: "breaking", what: `the first server ${fromTo(old, first)}`, because, at }];
}

function withoutAnnotations(server: Node): Node {
  const variables = Object.entries((server["variables"] ?? {}) as Record<string, Node>);
  const unannotated = (node: Node) => Object.fromEntries(Object.entries(node).filter(([key]) => !isAnnotation(key)));
  const entries = variables.map(([name, variable]) => [name, unannotated(variable)]);
  return { ...unannotated(server), variables: Object.fromEntries(entries) };
}
