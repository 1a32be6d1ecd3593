import type { Connection, Exchange } from "../call/exchange.ts";
import { dataOrThrow, send } from "../call/call.ts";
import type { OperationDescription, PagedOperation } from "../operation.ts";
import type { CallOptions } from "../options.ts";
import { type RequestParts, requestPartsOf } from "../request/request-parts.ts";
import { ABORTED, errorOf, failure, unreadableResult } from "../call/failure.ts";
import type { Items, Page } from "../result.ts";
import { at, type Follow, type Followers, followers, type NextPage } from "./follow.ts";

type Input = Readonly<Record<string, unknown>>;

/** Iterates over the items of an operation with pages of any kind. The time limits apply to each page. */
export function paginate<Args extends unknown[], Result, Item>(
  connection: Connection,
  operation: PagedOperation<Args, Result, Item>,
  ...args: Args
): Items<Result, Item> {
  return paginateBy(followers, connection, operation, ...args);
}

/** Iterates over the items of an operation with pages of one of the given kinds. */
export function paginateBy<Args extends unknown[], Result, Item>(
  kinds: Followers,
  connection: Connection,
  operation: PagedOperation<Args, Result, Item>,
  ...args: Args
): Items<Result, Item> {
  const [input = {}, options = {}] = args as unknown[] as [Input | undefined, CallOptions | undefined];
  const { signal } = options;
  const follow = kinds[operation.pages.by]!;
  // The service guarantees the declared shape of the items.
  const pages = () => pagesOf(follow, connection, operation, input, options) as AsyncIterable<Page<Result, Item>>;
  async function* items(): AsyncGenerator<Item> {
    for await (const page of pages()) {
      for (const item of page.items) {
        if (signal?.aborted) {
          const facts = { api: connection.api, operation, secrets: [] };
          throw errorOf({ ...facts, result: failure(facts, "aborted", ABORTED, signal.reason) });
        }
        yield item;
      }
    }
  }
  return { pages, [Symbol.asyncIterator]: items };
}

async function* pagesOf(
  follow: Follow,
  connection: Connection,
  operation: OperationDescription,
  input: Input,
  options: CallOptions,
): AsyncGenerator<{ items: unknown[]; data: unknown; next: string | undefined; response: Response }> {
  const { items: pointer } = operation.pages!;
  // Leaving the loop aborts the request for the following page.
  const loop = new AbortController();
  const signal = AbortSignal.any([loop.signal, options.signal ?? loop.signal]);
  const request = (parts: () => RequestParts) => send(connection, operation, parts, { ...options, signal });
  const visited = new Set<string>();
  let pending: Promise<Exchange> | undefined = request(() => requestPartsOf(operation, input));
  let current = input;
  try {
    while (pending) {
      const exchange: Exchange = await pending;
      const data = dataOrThrow(exchange);
      const reject = (problem: string): never => {
        throw errorOf({ ...exchange, result: unreadableResult(exchange, problem, JSON.stringify(data)) });
      };
      const items = at(data, pointer);
      if (!Array.isArray(items)) return reject("has no list of items");
      visited.add(exchange.url!);
      let next = follow({ connection, operation, exchange, input: current, data, items: items as unknown[] });
      if (typeof next === "object" && visited.has(next.id)) next = "links to a page that was already read";
      const { value, id, parts, input: following } = Object(next) as Partial<NextPage>;
      visited.add(id!);
      current = following ?? current;
      pending = parts && request(parts);
      pending?.catch(() => {}); // The next iteration throws it.
      yield { items: items as unknown[], data, next: value, response: exchange.response! };
      if (typeof next === "string") reject(next);
    }
  } finally {
    loop.abort();
  }
}
