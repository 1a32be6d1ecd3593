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

/** What `useQuery`, `useSuspenseQuery`, `prefetchQuery` and the like take. */
export type Query<Id extends OperationId> = UnusedSkipTokenOptions<Data<Id>, PetstoreError> & {
  queryKey: DataTag<Key, Data<Id>, PetstoreError>;
};

/** What `useInfiniteQuery`, `useSuspenseInfiniteQuery` and the like take. */
export type InfiniteQuery<Id extends OperationId> = UnusedSkipTokenInfiniteOptions<
  ListPage<Id>,
  PetstoreError,
  InfiniteData<ListPage<Id>, Cursor>,
  Key,
  Cursor
> & { queryKey: DataTag<Key, InfiniteData<ListPage<Id>, Cursor>, PetstoreError> };

/** What `useMutation` takes. */
export type Mutation<Id extends OperationId, Input> = UseMutationOptions<Data<Id>, PetstoreError, Input> & {
  mutationKey: Key;
};

/** `["petstore", operationId]`, in a query followed by its input, and in an infinite one by `"pages"` then. */
export type Key = QueryKey;

/** One page of a list. */
export interface ListPage<Id extends OperationId> {
  items: Data<Id>;
  /** The `cursor` of the next page; undefined on the last. */
  next: Cursor;
}

type Cursor = string | undefined;
