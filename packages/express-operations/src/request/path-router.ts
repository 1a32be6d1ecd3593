import { encodeSegment } from "openapi-document";
import { findRoute, type RouteTree } from "./values.ts";

/** Builds the tree of path templates, in which `findRoute` finds a route. */
export class PathRouter<Route> {
  readonly root: RouteTree<Route> = { literals: new Map(), patterns: [] };

  /**
   * Returns the route of a template; `create` makes it if the template is new. Templates that differ only in parameter
   * names share a route.
   */
  route(template: string, create: () => Route): Route {
    let node = this.root;
    for (const segment of template.split("/").slice(1)) node = childFor(node, encodeSegment(segment));
    return (node.route ??= create());
  }

  find(path: string): { route: Route; values: string[] } | undefined {
    return findRoute(this.root, path);
  }
}

/**
 * Returns the path that `app.use` matches literally, such as `/v1\\+beta` for `/v1+beta`. Express treats some characters of a
 * path as syntax (path-to-regexp 8).
 */
export function mountPath(path: string): string {
  return path === "" ? "/" : path.replaceAll(/[{}()[\]+?!:*\\]/g, "\\$&");
}

function childFor<Route>(node: RouteTree<Route>, segment: string): RouteTree<Route> {
  const empty = (): RouteTree<Route> => ({ literals: new Map(), patterns: [] });
  if (!segment.includes("{")) {
    const child = node.literals.get(segment) ?? empty();
    node.literals.set(segment, child);
    return child;
  }
  if (/^\{[^}]+\}$/.test(segment)) return (node.parameter ??= empty());
  const texts = segment.split(/\{[^}]+\}/);
  const known = node.patterns.find((candidate) => candidate.texts.join("{}") === texts.join("{}"));
  if (known !== undefined) return known.node;
  const child = empty();
  node.patterns.push({ texts, node: child });
  return child;
}
