/** Options of a client's operations for TanStack Query's hooks and `QueryClient`. */
import type {
  DataTag,
  InfiniteData,
  QueryKey,
  UnusedSkipTokenInfiniteOptions,
  UnusedSkipTokenOptions,
  UseMutationOptions,
} from "@tanstack/react-query";
import type { OperationDescription } from "../operation.ts";
import { linkTo } from "../pages/link.ts";
import type { Call } from "../result.ts";

/** A call of any operation. The types of each operation are generated. */
type AnyCall = (
  input: unknown,
  options?: { signal: AbortSignal },
) => Call<{ ok: true; data: unknown; response: Response }>;

type Operations = Readonly<Record<string, OperationDescription>>;

/**
 * Returns query options for each `GET` operation. The query's signal aborts the request. TanStack Query does not retry, because
 * the client does. Keys begin with `key`: two services in one `QueryClient` need different ones.
 */
export function queriesOf(operations: Operations, client: object, key: string): object {
  const queries = entries(operations, ({ method }) => method === "GET").map(([name]) => {
    const call = callOf(client, name);
    const query = (input: object = {}) => ({
      queryKey: [key, name, input],
      queryFn: ({ signal }: { signal: AbortSignal }) => call(input, { signal }).orThrow(),
      retry: false,
    });
    return [name, query];
  });
  return Object.fromEntries(queries) as object;
}

/** Returns infinite query options for each operation with pages by link and cursor, with the rest as in `queriesOf`. */
export function infiniteQueriesOf(operations: Operations, client: object, key: string): object {
  const queries = entries(operations, ({ pages }) => cursorOf(pages) !== undefined).map(([name, { pages }]) => {
    const call = callOf(client, name);
    const cursor = cursorOf(pages)!;
    const query = (input: object = {}) => ({
      queryKey: [key, name, input, "pages"],
      queryFn: async ({ signal, pageParam }: { signal: AbortSignal; pageParam: string | undefined }) => {
        const pending = call({ ...input, [cursor]: pageParam }, { signal });
        const items = await pending.orThrow();
        return { items, next: cursorIn((await pending).response.headers, cursor) };
      },
      initialPageParam: undefined,
      getNextPageParam: ({ next }: { next: string | undefined }) => next,
      retry: false,
    });
    return [name, query];
  });
  return Object.fromEntries(queries) as object;
}

/** Returns mutation options for each operation that is not a `GET`. TanStack Query does not retry. Keys begin with `key`. */
export function mutationsOf(operations: Operations, client: object, key: string): object {
  const mutations = entries(operations, ({ method }) => method !== "GET").map(([name]) => {
    const call = callOf(client, name);
    const mutation = () => ({
      mutationKey: [key, name],
      mutationFn: (input: unknown) => call(input).orThrow(),
      retry: false,
    });
    return [name, mutation];
  });
  return Object.fromEntries(mutations) as object;
}

function entries(
  operations: Operations,
  filter: (operation: OperationDescription) => boolean,
): [string, OperationDescription][] {
  return Object.entries(operations).filter(([, operation]) => filter(operation));
}

function callOf(client: object, name: string): AnyCall {
  return (client as Record<string, AnyCall>)[name]!;
}

function cursorOf(pages: OperationDescription["pages"]): string | undefined {
  return pages?.by === "link" ? pages.cursor : undefined;
}

/** Returns the cursor of the link to the next page. The rest of the link is ignored, so the request goes to this service. */
function cursorIn(headers: Headers, cursor: string): string | undefined {
  const target = linkTo("next", headers);
  return new URLSearchParams(target?.split("?", 2)[1]).get(cursor) ?? undefined;
}

/** Options for `useQuery`, `useSuspenseQuery`, `prefetchQuery` and the like. */
export type QueryOf<Data, Error> = UnusedSkipTokenOptions<Data, Error> & {
  queryKey: DataTag<Key, Data, Error>;
};

/** Options for `useInfiniteQuery`, `useSuspenseInfiniteQuery` and the like. */
export type InfiniteQueryOf<Data, Error> = UnusedSkipTokenInfiniteOptions<
  ListPageOf<Data>,
  Error,
  InfiniteData<ListPageOf<Data>, Cursor>,
  Key,
  Cursor
> & { queryKey: DataTag<Key, InfiniteData<ListPageOf<Data>, Cursor>, Error> };

/** Options for `useMutation`. */
export type MutationOf<Data, Error, Input> = UseMutationOptions<Data, Error, Input> & {
  mutationKey: Key;
};

/**
 * The key of a mutation, `[name, operation]`, of a query, `[name, operation, input]`, or of an infinite query,
 * `[name, operation, input, "pages"]`. The keys do not change within a major version.
 */
export type Key = QueryKey;

/** One page of a list. */
export interface ListPageOf<Data> {
  items: Data;
  /** The `cursor` of the next page; undefined on the last page. */
  next: Cursor;
}

type Cursor = string | undefined;
