import type { OperationEntry } from "openapi-document";

const CACHEABLE = new WeakSet<(...input: never[]) => unknown>();

/**
 * Marks a handler as cacheable. The 200 of its GET operation must depend on path, query and data alone, not on the
 * caller or the time. With the option `cache` of `implement`, its responses are cached until the data changes.
 */
export function cacheable<Handler extends (...input: never[]) => unknown>(handler: Handler): Handler {
  const marked = handler.bind(undefined) as Handler; // a copy, because another operation may use the same function uncached
  CACHEABLE.add(marked);
  return marked;
}

/** Returns whether a handler was marked by `cacheable`. */
export function isCacheable(handler: (...input: never[]) => unknown): boolean {
  return CACHEABLE.has(handler);
}

/**
 * Throws if an operation's responses may depend on more than its URL. An optional `If-None-Match` is allowed, because
 * the header only turns the response into a 304. Cached responses are sent without validating the header.
 */
export function expectCacheable(entry: OperationEntry): void {
  const others = entry.parameters.filter(({ in: location }) => location === "header" || location === "cookie");
  const depended = others.filter(({ name, required }) => !/^if-none-match$/i.test(name) || required === true);
  if (entry.method !== "get" || depended.length > 0 || entry.operation.requestBody !== undefined) {
    throw new Error(
      `The handler of "${entry.id}" cannot be cacheable: only a GET operation that reads path and query alone can. Remove \`cacheable\`.`,
    );
  }
}
