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
