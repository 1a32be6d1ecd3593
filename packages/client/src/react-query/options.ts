import type {
  DataTag,
  InfiniteData,
  QueryKey,
  UnusedSkipTokenInfiniteOptions,
  UnusedSkipTokenOptions,
  UseMutationOptions,
} from "@tanstack/react-query";
import type { OperationId } from "../operation.ts";
import type { PetstoreError } from "../petstore-error.ts";
import type { Data } from "../result.ts";

/** Options for `useQuery`, `useSuspenseQuery`, `prefetchQuery` and the like. */
export type Query<Id extends OperationId> = UnusedSkipTokenOptions<Data<Id>, PetstoreError> & {
  queryKey: DataTag<Key, Data<Id>, PetstoreError>;
};

/** Options for `useInfiniteQuery`, `useSuspenseInfiniteQuery` and the like. */
export type InfiniteQuery<Id extends OperationId> = UnusedSkipTokenInfiniteOptions<
  ListPage<Id>,
  PetstoreError,
  InfiniteData<ListPage<Id>, Cursor>,
  Key,
  Cursor
> & { queryKey: DataTag<Key, InfiniteData<ListPage<Id>, Cursor>, PetstoreError> };

/** Options for `useMutation`. */
export type Mutation<Id extends OperationId, Input> = UseMutationOptions<Data<Id>, PetstoreError, Input> & {
  mutationKey: Key;
};

/**
 * The key of a mutation, `["petstore", operationId]`, of a query, `["petstore", operationId, input]`, or of an infinite query,
 * `["petstore", operationId, input, "pages"]`. The keys do not change within a major version.
 */
export type Key = QueryKey;

/** One page of a list. */
export interface ListPage<Id extends OperationId> {
  items: Data<Id>;
  /** The `cursor` of the next page; undefined on the last page. */
  next: Cursor;
}

type Cursor = string | undefined;
