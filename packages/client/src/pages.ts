import type { Exchange, RequestParts } from "./attempt.ts";
import { dataOrThrow, sendWithRetries } from "./call.ts";
import type { Connection } from "./connection.ts";
import type { ByPage } from "./generated/calls.ts";
import { linkTo } from "./link.ts";
import type { Operation } from "./operation.ts";
import type { CallOptions } from "./options.ts";
import { requestPartsOf } from "./request-parts.ts";
import type { Data, Item, Items, Page } from "./result.ts";
import { type ErrorResult, failureResult, unreadableResponse } from "./untyped-result.ts";

/**
 * Iterates over the items of an operation that has a `cursor` parameter and a `Link` header. The time limits apply to each
 * page.
 */
export function paginate<Id extends keyof ByPage>(
  connection: Connection,
  operation: Operation<Id>,
  ...[input, options = {}]: Parameters<ByPage[Id]>
): Items<Id> {
  const { signal } = options;
  const parts = requestPartsOf(operation, input);
  // The service guarantees the declared shape of the items.
  const pages = () => pagesOf(connection, operation, parts, options) as AsyncIterable<Page<Id>>;
  async function* items(): AsyncGenerator<Item<Data<Id>>> {
    for await (const page of pages()) {
      for (const item of page.items as Item<Data<Id>>[]) {
        if (signal?.aborted) dataOrThrow(operation, { result: failureResult(signal.reason, "aborted") });
        yield item;
      }
    }
  }
  return { pages, [Symbol.asyncIterator]: items };
}

async function* pagesOf(
  connection: Connection,
  operation: Operation,
  parts: RequestParts,
  options: CallOptions,
): AsyncGenerator<{ items: unknown; next: string | undefined; response: Response }> {
  // Leaving the loop aborts the request for the following page.
  const loop = new AbortController();
  const signal = AbortSignal.any([loop.signal, options.signal ?? loop.signal]);
  const visited = new Set<string>();
  let pending: Promise<Exchange> | undefined = sendWithRetries(connection, operation, parts, { ...options, signal });
  try {
    while (pending) {
      const page: Exchange = await pending;
      const items = dataOrThrow(operation, page);
      const next = nextPage(page, visited);
      const link = { params: { header: parts.params?.header }, url: next.url };
      pending = next.url && sendWithRetries(connection, operation, link, { ...options, signal });
      pending?.catch(() => {}); // The next iteration throws it.
      yield { items, next: next.url?.searchParams.get("cursor") ?? undefined, response: page.result.response! };
      if (next.error) dataOrThrow(operation, { ...page, result: next.error });
    }
  } finally {
    loop.abort();
  }
}

/**
 * Returns the URL of the next page, resolved against this page (RFC 8288, section 3.1), or an error if it must not be
 * followed.
 */
function nextPage({ result, url = "" }: Exchange, visited: Set<string>): { url?: URL; error?: ErrorResult } {
  const response = result.response!;
  const target = linkTo("next", response.headers);
  if (target === undefined) return {};
  visited.add(url);
  const next = URL.canParse(target, url) ? new URL(target, url) : undefined;
  if (next?.origin !== new URL(url).origin)
    return { error: unreadableResponse("links to a next page of another origin", response) };
  if (visited.has(next.href)) return { error: unreadableResponse("links to a page that was already read", response) };
  return { url: next };
}
