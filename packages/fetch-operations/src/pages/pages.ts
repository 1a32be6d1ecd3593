import type { Exchange } from "../call/exchange.ts";
import { dataOrThrow, send } from "../call/call.ts";
import type { Connection } from "../connection.ts";
import type { OperationDescription, PagedOperation, Pagination } from "../operation.ts";
import type { CallOptions } from "../options.ts";
import { type RequestParts, requestPartsOf } from "../request/request-parts.ts";
import { ABORTED, errorOf, failure, unreadableResult } from "../call/failure.ts";
import type { Items, Page } from "../result.ts";
import { linkTo } from "./link.ts";

type Input = Readonly<Record<string, unknown>>;

/** Iterates over the items of an operation with pages. The time limits apply to each page. */
export function paginate<Args extends unknown[], Result, Item>(
  connection: Connection,
  operation: PagedOperation<Args, Result, Item>,
  ...args: Args
): Items<Result, Item> {
  const [input, options] = args as unknown[] as [Input | undefined, CallOptions | undefined];
  const { signal } = options ?? {};
  // The service guarantees the declared shape of the items.
  const pages = () => pagesOf(connection, operation, input ?? {}, options ?? {}) as AsyncIterable<Page<Result, Item>>;
  async function* items(): AsyncGenerator<Item> {
    for await (const page of pages()) {
      for (const item of page.items) {
        if (signal?.aborted) {
          const { api } = connection;
          const result = failure({ api, secrets: [] }, "aborted", ABORTED, signal.reason);
          throw errorOf({ api, operation, result });
        }
        yield item;
      }
    }
  }
  return { pages, [Symbol.asyncIterator]: items };
}

/** The request for the next page, and the value that requests it. */
interface Next {
  value: string;
  parts: () => RequestParts;
}

async function* pagesOf(
  connection: Connection,
  operation: OperationDescription,
  input: Input,
  options: CallOptions,
): AsyncGenerator<{ items: unknown[]; data: unknown; next: string | undefined; response: Response }> {
  // Leaving the loop aborts the request for the following page.
  const loop = new AbortController();
  const signal = AbortSignal.any([loop.signal, options.signal ?? loop.signal]);
  const request = (parts: () => RequestParts) => send(connection, operation, parts, { ...options, signal });
  const visited = new Set<string>();
  let pending: Promise<Exchange> | undefined = request(() => requestPartsOf(operation, input));
  let current = input;
  try {
    while (pending) {
      const page: Exchange = await pending;
      const data = dataOrThrow(page);
      const reject = (problem: string): never => {
        throw errorOf({ ...page, result: unreadableResult(page, problem, JSON.stringify(data)) });
      };
      const items = at(data, operation.pages!.items);
      if (!Array.isArray(items)) return reject("has no list of items");
      let problem: string | undefined;
      let next: Next | undefined;
      const rejectNext = (text: string): undefined => void (problem = text);
      next = nextOf(connection, operation, page, current, items, data, visited, rejectNext);
      if (next)
        current = next.parts === undefined ? current : { ...current, ...nextInput(operation.pages!, next.value) };
      pending = next && request(next.parts);
      pending?.catch(() => {}); // The next iteration throws it.
      yield { items: items as unknown[], data, next: next?.value, response: page.result.response! };
      if (problem !== undefined) reject(problem);
    }
  } finally {
    loop.abort();
  }
}

function nextInput(pages: Pagination, value: string): Input {
  if (pages.by === "cursor") return { [pages.cursor]: value };
  if (pages.by === "offset") return { [pages.offset]: Number(value) };
  return pages.by === "page" ? { [pages.page]: Number(value) } : {};
}

/** Returns the request for the next page. Calls `reject` if it must not be sent. */
function nextOf(
  connection: Connection,
  operation: OperationDescription,
  page: Exchange,
  input: Input,
  items: unknown[],
  data: unknown,
  visited: Set<string>,
  reject: (problem: string) => undefined,
): Next | undefined {
  const pages = operation.pages!;
  if (pages.by === "link") return linkedPage(connection, operation, page, input, pages.cursor, visited, reject);
  let value: string | undefined;
  if (pages.by === "cursor") {
    const cursor = at(data, pages.next);
    value = typeof cursor === "string" || typeof cursor === "number" ? String(cursor) : undefined;
  } else if (items.length > 0) {
    const limit = pages.by === "offset" && pages.limit !== undefined ? input[pages.limit] : undefined;
    const isLast = typeof limit === "number" && items.length < limit;
    if (!isLast)
      value =
        pages.by === "offset"
          ? String(Number(input[pages.offset] ?? 0) + items.length)
          : String(Number(input[pages.page] ?? pages.first) + 1);
  }
  if (value === undefined || value === "") return undefined;
  if (visited.has(value)) return reject("links to a page that was already read");
  visited.add(value);
  const given = value;
  return { value, parts: () => requestPartsOf(operation, { ...input, ...nextInput(pages, given) }) };
}

/**
 * Returns the request for the page of the link, resolved against this page (RFC 8288, section 3.1). Only links below the base
 * URL are followed, because they receive the credentials.
 */
function linkedPage(
  { baseUrl }: Connection,
  operation: OperationDescription,
  { result, url = "" }: Exchange,
  input: Input,
  cursor: string | undefined,
  visited: Set<string>,
  reject: (problem: string) => undefined,
): Next | undefined {
  const target = linkTo("next", result.response!.headers);
  if (target === undefined) return undefined;
  visited.add(url);
  const next = URL.canParse(target, url) ? new URL(target, url) : undefined;
  const base = new URL(operation.server ?? "", `${baseUrl}/`);
  if (next?.origin !== base.origin) return reject("links to a next page of another origin");
  const path = `${base.pathname.replace(/\/+$/, "")}/`;
  // Encoded separators and dots may mean another path to a proxy or the service.
  if (!next.pathname.startsWith(path) || /%(?:2e|2f|5c)/i.test(next.pathname) || next.username !== "")
    return reject("links to a next page outside the base URL");
  if (visited.has(next.href)) return reject("links to a page that was already read");
  const { headers } = requestPartsOf(operation, input);
  const rest = next.pathname.slice(path.length - 1) + next.search;
  return {
    value: (cursor === undefined ? null : next.searchParams.get(cursor)) ?? next.href,
    parts: () => ({ target: rest, headers }),
  };
}

/** Returns the value at a JSON Pointer (RFC 6901), or undefined. */
function at(value: unknown, pointer: string): unknown {
  let found = value;
  for (const key of pointer.split("/").slice(1))
    found = (found as Record<string, unknown> | null | undefined)?.[key.replaceAll("~1", "/").replaceAll("~0", "~")];
  return found;
}
