import type { Exchange, Message } from "./attempt.ts";
import { dataOf, exchange } from "./call.ts";
import type { Connection } from "./connection.ts";
import type { ByPage } from "./generated/calls.ts";
import { linkTo } from "./link.ts";
import { messageOf } from "./message.ts";
import type { Operation } from "./operation.ts";
import type { CallOptions } from "./options.ts";
import { type Refusal, unanswered, unreadable } from "./outcome.ts";
import type { Data, Item, Items, Page } from "./result.ts";

/** The items of an operation whose contract declares `Link` and `cursor`. The limits of the options are for each page. */
export function paginate<Id extends keyof ByPage>(
  connection: Connection,
  operation: Operation<Id>,
  ...[input, options = {}]: Parameters<ByPage[Id]>
): Items<Id> {
  const { signal } = options;
  const message = messageOf(operation, input);
  // That the items have the declared shape is the service's promise.
  const pages = () => pagesOf(connection, operation, message, options) as AsyncIterable<Page<Id>>;
  async function* items(): AsyncGenerator<Item<Data<Id>>> {
    for await (const page of pages()) {
      for (const item of page.items as Item<Data<Id>>[]) {
        if (signal?.aborted) dataOf(operation, { outcome: unanswered(signal.reason, "aborted") });
        yield item;
      }
    }
  }
  return { pages, [Symbol.asyncIterator]: items };
}

async function* pagesOf(
  connection: Connection,
  operation: Operation,
  message: Message,
  options: CallOptions,
): AsyncGenerator<{ items: unknown; next: string | undefined; response: Response }> {
  // Whoever leaves the loop ends the request for the page that nobody will read.
  const left = new AbortController();
  const signal = AbortSignal.any([left.signal, options.signal ?? left.signal]);
  const seen = new Set<string>();
  let asked: Promise<Exchange> | undefined = exchange(connection, operation, message, { ...options, signal });
  try {
    while (asked) {
      const page: Exchange = await asked;
      const items = dataOf(operation, page);
      const next = nextPage(page, seen);
      const link = { params: { header: message.params?.header }, url: next.url };
      asked = next.url && exchange(connection, operation, link, { ...options, signal });
      asked?.catch(() => {}); // It is thrown when the page is wanted.
      yield { items, next: next.url?.searchParams.get("cursor") ?? undefined, response: page.outcome.response! };
      if (next.fault) dataOf(operation, { ...page, outcome: next.fault });
    }
  } finally {
    left.abort();
  }
}

/** Where the next page is, relative to this one (RFC 8288, section 3.1); a fault where it must not be followed. */
function nextPage({ outcome, url = "" }: Exchange, seen: Set<string>): { url?: URL; fault?: Refusal } {
  const response = outcome.response!;
  const target = linkTo("next", response.headers);
  if (target === undefined) return {};
  seen.add(url);
  const next = URL.canParse(target, url) ? new URL(target, url) : undefined;
  if (next?.origin !== new URL(url).origin)
    return { fault: unreadable("links to a next page of another origin", response) };
  if (seen.has(next.href)) return { fault: unreadable("links to a page that was already read", response) };
  return { url: next };
}
