import { isDeepStrictEqual } from "node:util";
import type { OpenApiDocument } from "openapi-document";
import { type Documents, fromTo, keysOf, type Node, type Pair, type PartChange, shown } from "./changes.ts";

/** The servers of a node, with their URLs in one notation. */
export function serversOf({ servers = [{ url: "/" }] }: { servers?: unknown }): Node[] {
  const all = (servers as Node[]).length === 0 ? [{ url: "/" }] : (servers as Node[]);
  return all.map((server) => ({ ...server, url: canonicalUrl(String(server["url"])) }));
}

function partsOf(url: string): { origin: string; path: string } {
  const [, origin = "", path = ""] = /^([a-z][a-z+.-]*:\/\/[^/?#]*)?(.*)$/is.exec(url)!;
  return { origin, path };
}

/** Schemes and hosts are case-insensitive, and a default port means none (RFC 3986, section 6.2). */
function canonicalUrl(url: string): string {
  const { origin, path } = partsOf(url);
  const host = origin.replaceAll(/\{[^}]*\}|[^{]+/g, (part) => (part.startsWith("{") ? part : part.toLowerCase()));
  const short = host.replace(
    /^(https:.*):443$|^(http:.*):80$/,
    (_, https?: string, http?: string) => https ?? http ?? "",
  );
  return (short + path).replace(/\/$/, "") || "/";
}

/**
 * Returns documents whose paths begin at the same base, if a prefix moves from every path into every server, or back. The earlier
 * document is written as the later one is.
 */
export function withOneBase({ before, after }: Documents): Documents {
  const [from, to] = [baseOf(before), baseOf(after)];
  const paths = Object.entries(before.paths ?? {});
  if (from === undefined || to === undefined || from === to || [before, after].some(isBoundToPaths))
    return { before, after };
  const moved = paths.map(([path, item]): [string, unknown] | undefined => {
    const whole = from + path;
    return whole.startsWith(`${to}/`) ? [whole.slice(to.length), item] : undefined;
  });
  const isKept = (path: string) => Object.hasOwn(after.paths ?? {}, path);
  if (!moved.every((each) => each !== undefined) || !moved.some(([path]) => isKept(path))) return { before, after };
  if (paths.some(([path]) => isKept(path))) return { before, after };
  const servers = serversOf(before as object).map((server) => {
    const { origin } = partsOf(server["url"] as string);
    return { ...server, url: origin + to };
  });
  return { before: { ...before, servers, paths: Object.fromEntries(moved) } as OpenApiDocument, after };
}

/** Returns the path that all servers of a document share. */
function baseOf(document: OpenApiDocument): string | undefined {
  const [base, ...others] = new Set(
    serversOf(document as object).map(({ url }) => partsOf(url as string).path.replace(/^\/$/, "")),
  );
  return others.length === 0 ? base : undefined;
}

/** Whether a path may have servers of its own, or references lead to paths. */
function isBoundToPaths(document: OpenApiDocument): boolean {
  return /"servers":.*"servers":|"#\/paths\//.test(JSON.stringify(document));
}

/** Compares the servers of two nodes. Generated clients call the first one by default, so its change counts too. */
export function serverChanges(nodes: Pair<{ servers?: unknown }>, holder: object): PartChange[] {
  const [before, after] = [serversOf(nodes.before), serversOf(nodes.after)];
  const at = { node: holder, key: "servers" };
  const [old, first] = [before[0]?.["url"], after[0]?.["url"]];
  const removed = before.flatMap((server): PartChange[] => {
    const url = shown(server["url"]);
    const current = after.find((each) => each["url"] === server["url"]);
    if (current === undefined)
      return [{ impact: "breaking", what: `the server ${url} is removed`, because: "Clients call it today.", at }];
    const variables = { before: variablesOf(server), after: variablesOf(current) };
    if (isDeepStrictEqual(variables.before, variables.after)) return [];
    const what = `the variables of the server ${url} change`;
    if (areKept(variables)) return [{ impact: "additive", what, because: "Every current address is kept.", at }];
    return [{ impact: "breaking", what, because: "Clients may call a different address than today.", at }];
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

/** A Server Variable Object: https://spec.openapis.org/oas/v3.1.1#server-variable-object */
interface Variable {
  default: unknown;
  enum: unknown[] | undefined;
}

function variablesOf(server: Node): Record<string, Variable> {
  const variables = Object.entries((server["variables"] ?? {}) as Record<string, Partial<Variable>>);
  return Object.fromEntries(
    variables.map(([name, own]) => [name, { default: own.default, enum: own.enum?.toSorted() }]),
  );
}

/** Whether each variable has its default and its values of today. */
function areKept({ before, after }: Pair<Record<string, Variable>>): boolean {
  return keysOf({ before, after }).every((name) => {
    const [old, current] = [before[name], after[name]];
    if (old === undefined || current === undefined || old.default !== current.default) return false;
    const values = current.enum;
    return values === undefined || old.enum?.every((value) => values.includes(value)) === true;
  });
}
