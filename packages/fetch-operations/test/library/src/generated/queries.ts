// Generated from the contract by fetch-operations. Do not edit.
import { infiniteQueriesOf, mutationsOf, queriesOf } from "fetch-operations/react-query";
import type { InfiniteQueryOf, ListPageOf, MutationOf, QueryOf } from "fetch-operations/react-query";
import type { LibraryError } from "./api.ts";
import type { Data, OperationId, ListBooksInput, AddBookInput, GetBookInput, ReplaceBookInput, DeleteInput, PeekBookInput, GetCoverInput, PutCoverInput, AddCoversInput, SearchInput, ListLoansInput, LendInput, AuthorsInput, RefreshAuthorsInput, WatchInput, FollowInput, ReadLinesInput } from "./calls.ts";
import type { Library } from "./client.ts";
import { operations } from "./operations.ts";

export type { Key } from "fetch-operations/react-query";

/** Options for `useQuery`, `useSuspenseQuery`, `prefetchQuery` and the like. */
export type Query<Id extends OperationId> = QueryOf<Data<Id>, LibraryError>;

/** Options for `useInfiniteQuery`, `useSuspenseInfiniteQuery` and the like. */
export type InfiniteQuery<Id extends OperationId> = InfiniteQueryOf<Data<Id>, LibraryError>;

/** Options for `useMutation`. */
export type Mutation<Id extends OperationId, Input> = MutationOf<Data<Id>, LibraryError, Input>;

/** One page of a list. */
export type ListPage<Id extends OperationId> = ListPageOf<Data<Id>>;

/** Returns query options for each operation. */
export interface Queries {
  /**
   * List books
   * by title
   *
   * Returns a page.
   *
   * The header `Link` leads to the next page.
   */
  listBooks: (input?: ListBooksInput) => Query<"listBooks">;
  /**
   * @deprecated Will be removed on 2030-12-05. Use `list-books`.
   */
  getBook: (input: GetBookInput) => Query<"getBook">;
  getCover: (input: GetCoverInput) => Query<"getCover">;
  listLoans: (input?: ListLoansInput) => Query<"listLoans">;
  authors: (input?: AuthorsInput) => Query<"authors">;
  watch: (input?: WatchInput) => Query<"watch">;
  readLines: (input?: ReadLinesInput) => Query<"readLines">;
}

/** Returns infinite query options for each operation. */
export interface InfiniteQueries {
  /**
   * List books
   * by title
   *
   * Returns a page.
   *
   * The header `Link` leads to the next page.
   */
  listBooks: (input?: Omit<ListBooksInput, "cursor">) => InfiniteQuery<"listBooks">;
}

/** Returns mutation options for each operation. */
export interface Mutations {
  addBook: () => Mutation<"addBook", AddBookInput>;
  replaceBook: () => Mutation<"replaceBook", ReplaceBookInput>;
  delete_: () => Mutation<"delete_", DeleteInput>;
  peekBook: () => Mutation<"peekBook", PeekBookInput>;
  /**
   * @deprecated
   */
  putCover: () => Mutation<"putCover", PutCoverInput>;
  addCovers: () => Mutation<"addCovers", AddCoversInput>;
  search: () => Mutation<"search", SearchInput | void>;
  lend: () => Mutation<"lend", LendInput | void>;
  refreshAuthors: () => Mutation<"refreshAuthors", RefreshAuthorsInput | void>;
  follow: () => Mutation<"follow", FollowInput>;
}

/**
 * Returns query options for each `GET` operation. The query's signal aborts the request. TanStack Query does not retry, because
 * the client does. Keys begin with `name`: two services in one `QueryClient` need different names.
 */
export function libraryQueries(client: Library, name = "library"): Queries {
  return queriesOf(operations, client, name) as Queries;
}

/** Returns infinite query options for each operation with pages, with signal, retries and `name` as in `libraryQueries`. */
export function libraryInfiniteQueries(client: Library, name = "library"): InfiniteQueries {
  return infiniteQueriesOf(operations, client, name) as InfiniteQueries;
}

/** Returns mutation options for each operation that is not a `GET`. TanStack Query does not retry. Keys begin with `name`. */
export function libraryMutations(client: Library, name = "library"): Mutations {
  return mutationsOf(operations, client, name) as Mutations;
}
