import type {
  DataTag,
  InfiniteData,
  QueryKey,
  UnusedSkipTokenInfiniteOptions,
  UnusedSkipTokenOptions,
  UseMutationOptions,
} from "@tanstack/react-query";

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
