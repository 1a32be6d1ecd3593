import { isAnnotation } from "openapi-document";
import { isDeepStrictEqual } from "node:util";
import { type Node, type Pair, type PartChange, shown } from "./documents.ts";

/** Compares the servers of two nodes. Generated clients call the first one by default, so its change counts too. */
export function serverChanges(nodes: Pair<{ servers?: unknown }>, holder: object): PartChange[] {
  const serversOf = ({ servers = [{ url: "/" }] }: { servers?: unknown }) => servers as Node[];
  const [before, after] = [serversOf(nodes.before), serversOf(nodes.after)];
  const at = { node: holder, key: "servers" };
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
      return {
        impact: "additive",
        what: `the server ${shown(url)} is added`,
        because: "Clients need not call it.",
        at,
      };
    });
  return [...removed, ...added, ...firstChange(before[0]?.["url"], after, at)];
}

function firstChange(url: unknown, after: Node[], at: NonNullable<PartChange["at"]>): PartChange[] {
  const first = after[0]?.["url"];
  if (first === url || !after.some((server) => server["url"] === url)) return [];
  const because = "Generated clients call the first server by default.";
  return [{ impact: "breaking", what: `the first server changes from ${shown(url)} to ${shown(first)}`, because, at }];
}

function withoutAnnotations(server: Node): Node {
  const variables = Object.entries((server["variables"] ?? {}) as Record<string, Node>);
  const unannotated = (node: Node) => Object.fromEntries(Object.entries(node).filter(([key]) => !isAnnotation(key)));
  const entries = variables.map(([name, variable]) => [name, unannotated(variable)]);
  return { ...unannotated(server), variables: Object.fromEntries(entries) };
}
