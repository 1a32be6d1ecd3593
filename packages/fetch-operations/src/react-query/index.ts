/** Options of a client's operations for TanStack Query's hooks and `QueryClient`. */
import type {
  DataTag,
  InfiniteData,
  QueryKey,
  UnusedSkipTokenInfiniteOptions,
  UnusedSkipTokenOptions,
  UseMutationOptions,
} from "@tanstack/react-query";
import {
  byOperation,
  type Cursor,
  cursorOf,
  hasCursor,
  isMutation,
  isQuery,
  type ListPageOf,
  type Operations,
  pageOf,
} from "../queries.ts";

export type { ListPageOf };

/**
 * Returns query options for each `GET` operation. The query's signal aborts the request. TanStack Query does not retry, because
 * the client does. Keys begin with `key`: two services in one `QueryClient` need different ones.
 */
export function queriesOf(operations: Operations, client: object, key: string): object {
  return byOperation(operations, client, isQuery, (call, name) => (input: object = {}) => ({
    queryKey: [key, name, hashable(input)],
    queryFn: ({ signal }: { signal: AbortSignal }) => call(input, { signal }).orThrow(),
    retry: false,
  }));
}

/** Returns infinite query options for each operation with pages by link and cursor, with the rest as in `queriesOf`. */
export function infiniteQueriesOf(operations: Operations, client: object, key: string): object {
  return byOperation(operations, client, hasCursor, (call, name, operation) => (input: object = {}) => ({
    queryKey: [key, name, hashable(input), "pages"],
    queryFn: ({ signal, pageParam }: { signal: AbortSignal; pageParam: Cursor }) =>
      pageOf(call({ ...input, [cursorOf(operation)!]: pageParam }, { signal }), operation),
    initialPageParam: undefined,
    getNextPageParam: ({ next }: { next: Cursor }) => next,
    retry: false,
  }));
}

/** Returns mutation options for each operation that is not a `GET`. TanStack Query does not retry. Keys begin with `key`. */
export function mutationsOf(operations: Operations, client: object, key: string): object {
  return byOperation(operations, client, isMutation, (call, name) => () => ({
    mutationKey: [key, name],
    mutationFn: (input: unknown) => call(input).orThrow(),
    retry: false,
  }));
}

/** Returns an input with a string in place of each `bigint`, which TanStack Query cannot hash. */
function hashable(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return value.map(hashable);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, hashable(field)]));
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
 * `[name, operation, input, "pages"]`. Each `bigint` of the input is a string in it. The keys do not change within a major version.
 */
export type Key = QueryKey;
