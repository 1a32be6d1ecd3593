import { isDeepStrictEqual } from "node:util";
import { isAnnotation, type OpenApiDocument, type OperationEntry } from "openapi-document";
import { type Documents, keysOf, type Node, type Pair, paired, type PartChange, shown } from "./documents.ts";

/** Compares the security of an operation: a client that met one requirement must still meet one (OpenAPI 3.1, "Security Requirement Object"). */
export function securityChanges({ before, after }: Documents, entries: Pair<OperationEntry>): PartChange[] {
  const [old, current] = [requirementsOf(before, entries.before), requirementsOf(after, entries.after)];
  if (isDeepStrictEqual(new Set(old.map(String)), new Set(current.map(String)))) return [];
  const isEnough = old.every((has) => current.some((needs) => needs.every((need) => has.includes(need))));
  const what = `the security changes from ${listed(old)} to ${listed(current)}`;
  const { operation } = entries.after;
  const at = { node: operation, ...(operation.security !== undefined && { key: "security" }) };
  if (isEnough)
    return [{ impact: "additive", what, because: "The credentials that clients send today still suffice.", at }];
  return [{ impact: "breaking", what, because: "The credentials that clients send today no longer suffice.", at }];
}

/** Each requirement as an array of its schemes and scopes, such as `bearerAuth` and `bearerAuth (pets:read)`. */
function requirementsOf({ security = [] }: OpenApiDocument, { operation }: OperationEntry): string[][] {
  const requirements = (operation.security ?? security) as Record<string, string[]>[];
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
export function securitySchemeChanges(documents: Documents): (PartChange & { name: string })[] {
  const schemesOf = ({ components }: OpenApiDocument) => (components as Node | undefined)?.["securitySchemes"];
  const schemes = paired(documents, { before: schemesOf(documents.before), after: schemesOf(documents.after) });
  return schemes.flatMap(([name, { before, after }]) => {
    if (before === undefined || after === undefined) return [];
    return schemeChanges({ before, after }).map((change) => ({ name, ...change }));
  });
}

function schemeChanges(schemes: Pair<Node>): PartChange[] {
  const { before, after } = schemes;
  // Names of HTTP schemes are case-insensitive (RFC 9110, section 11.1).
  const value = (node: Node, key: string) => (key === "scheme" ? String(node[key]).toLowerCase() : node[key]);
  const changes = keysOf(schemes)
    .filter((key) => !isAnnotation(key) && key !== "flows" && value(before, key) !== value(after, key))
    .map((key): PartChange => {
      const what = `\`${key}\` changes from ${shown(before[key])} to ${shown(after[key])}`;
      const because = "Clients have to authenticate in another way.";
      return { impact: "breaking", what, because, at: { node: after, key } };
    });
  const flows = { before: (before["flows"] ?? {}) as Node, after: (after["flows"] ?? {}) as Node };
  return [...changes, ...keysOf(flows).flatMap((name) => flowChanges(flows, name))];
}

function flowChanges({ before, after }: Pair<Node>, name: string): PartChange[] {
  const [old, current] = [before[name], after[name]] as [Node | undefined, Node | undefined];
  const flow = `the flow \`${name}\``;
  if (current === undefined)
    return [{ impact: "breaking", what: `${flow} is removed`, because: "Clients may use it today." }];
  const at = { node: after, key: name };
  if (old === undefined)
    return [{ impact: "additive", what: `${flow} is added`, because: "Clients need not use it.", at }];
  const [{ scopes: had = {}, ...rest }, { scopes: has = {}, ...others }] = [old, current] as [Node, Node];
  const scopes = { before: had as Node, after: has as Node };
  const changes = keysOf(scopes).flatMap((scope): PartChange[] => {
    const of = `the scope "${scope}" of ${flow}`;
    if (scopes.before[scope] === scopes.after[scope]) return [];
    if (scopes.after[scope] === undefined)
      return [{ impact: "breaking", what: `${of} is removed`, because: "Clients may ask for it today.", at }];
    if (scopes.before[scope] === undefined)
      return [{ impact: "additive", what: `${of} is added`, because: "Clients need not ask for it.", at }];
    return [
      { impact: "documentation", what: `${of} has a new description`, because: "A description promises nothing.", at },
    ];
  });
  if (isDeepStrictEqual(rest, others)) return changes;
  const because = "Clients have to get their tokens in another way.";
  return [...changes, { impact: "breaking", what: `${flow} changes`, because, at }];
}
