import type { OperationEntry } from "../document/document.ts";

const CACHEABLE = new WeakSet<(...input: never[]) => unknown>();

/**
 * Marks the handler of a GET operation whose 200 follows from path, query and data alone, neither from the caller nor from
 * the time: its responses may be cached until the data changes, where `implement` has the option `cache`.
 */
export function cacheable<Handler extends (...input: never[]) => unknown>(handler: Handler): Handler {
  const marked = handler.bind(undefined) as Handler; // of its own, as the same function may serve another operation unmarked
  CACHEABLE.add(marked);
  return marked;
}

/** Whether a handler was marked by `cacheable`. */
export function isCacheable(handler: (...input: never[]) => unknown): boolean {
  return CACHEABLE.has(handler);
}

/**
 * Throws when the responses of an operation may depend on more than its URL. An optional `If-None-Match` decides only whether
 * the response is sent again or is a 304; with a cached response it is not validated.
 */
export function expectCacheable(entry: OperationEntry): void {
  const others = entry.parameters.filter(({ in: place }) => place === "header" || place === "cookie");
  const depended = others.filter(({ name, required }) => !/^if-none-match$/i.test(name) || required === true);
  if (entry.method !== "get" || depended.length > 0 || entry.operation.requestBody !== undefined) {
    throw new Error(
      `The handler of "${entry.id}" cannot be cacheable: it is no GET operation that reads path and query alone.`,
    );
  }
}
