import { encodeSegment, normalizePath } from "openapi-document";

interface Node<Route> {
  literals: Map<string, Node<Route>>;
  /**
   * Segments of text and parameters, such as `{name}.json`. They are tried before a parameter that matches any segment.
   */
  patterns: { texts: string[]; node: Node<Route> }[];
  parameter?: Node<Route>;
  route?: Route;
}

/**
 * Finds the path template that matches a path. Literal segments take precedence over parameters (OpenAPI 3.1, "Paths
 * Object"). The cost depends on the number of segments in the path, not on the number of templates.
 */
export class PathRouter<Route> {
  readonly #root: Node<Route> = { literals: new Map(), patterns: [] };

  /**
   * Returns the route of a template; `create` makes it if the template is new. Templates that differ only in parameter
   * names share a route.
   */
  route(template: string, create: () => Route): Route {
    let node = this.#root;
    for (const segment of template.split("/").slice(1)) node = childFor(node, encodeSegment(segment));
    return (node.route ??= create());
  }

  /**
   * Returns the route that matches a raw path, and its parameter values in order, still percent-encoded. Values are
   * never empty.
   */
  find(sent: string): { route: Route; values: string[] } | undefined {
    const path = sent.includes("%") ? normalizePath(sent) : sent;
    const values: string[] = [];
    const route = match(this.#root, path, slashFrom(path, 0), values);
    return route === undefined ? undefined : { route, values };
  }
}

/**
 * Returns the path that `app.use` matches literally, such as `/v1\\+beta` for `/v1+beta`. Express treats some characters of a
 * path as syntax (path-to-regexp 8).
 */
export function mountPath(path: string): string {
  return path === "" ? "/" : path.replaceAll(/[{}()[\]+?!:*\\]/g, "\\$&");
}

/** Returns the route that matches the rest of a path, from the slash at `at` on. */
function match<Route>(node: Node<Route>, path: string, at: number, values: string[]): Route | undefined {
  if (at === path.length) return node.route;
  const end = slashFrom(path, at + 1);
  const segment = path.slice(at + 1, end);
  const literal = node.literals.get(segment);
  const found = literal && match(literal, path, end, values);
  if (found !== undefined || segment === "") return found;
  const taken = values.length;
  for (const { texts, node: child } of node.patterns) {
    const between = valuesBetween(texts, segment);
    if (between === undefined) continue;
    values.push(...between);
    const deeper = match(child, path, end, values);
    if (deeper !== undefined) return deeper;
    values.length = taken;
  }
  if (node.parameter === undefined) return undefined;
  values.push(segment);
  const deeper = match(node.parameter, path, end, values);
  if (deeper === undefined) values.length = taken;
  return deeper;
}

function childFor<Route>(node: Node<Route>, segment: string): Node<Route> {
  const empty = (): Node<Route> => ({ literals: new Map(), patterns: [] });
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

/**
 * Returns the non-empty values between the texts of a template segment. A later value is as short as possible, so that
 * `{name}.{extension}` divides at the last dot. The time is linear: the last occurrence of each text suffices, because
 * an earlier one leaves less for the values before it.
 */
function valuesBetween([first = "", ...others]: string[], segment: string): string[] | undefined {
  const last = others.pop()!;
  if (!segment.startsWith(first) || !segment.endsWith(last)) return undefined;
  const values: string[] = [];
  let end = segment.length - last.length;
  for (const text of others.toReversed()) {
    const start = segment.lastIndexOf(text, end - 1 - text.length);
    if (start <= first.length) return undefined;
    values.unshift(segment.slice(start + text.length, end));
    end = start;
  }
  if (end <= first.length) return undefined;
  values.unshift(segment.slice(first.length, end));
  return values;
}

/** Returns the index of the next slash, or the length of the path. */
function slashFrom(path: string, start: number): number {
  const at = path.indexOf("/", start);
  return at === -1 ? path.length : at;
}

/** Returns the query of a URL, without its question mark. */
export function queryOf(url: string): string {
  const start = url.indexOf("?");
  return start === -1 ? "" : url.slice(start + 1);
}
