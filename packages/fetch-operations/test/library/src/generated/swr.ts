// Generated from the contract by fetch-operations. Do not edit.
import { infiniteQueriesOf, mutationsOf, queriesOf } from "fetch-operations/swr";
import type { Falsy, InfiniteQueryOf, ListPageOf, MutationOf, QueryOf } from "fetch-operations/swr";
import type { LibraryError } from "./api.ts";
import type { Data, OperationId, ListBooksInput, AddBookInput, GetBookInput, ReplaceBookInput, DeleteInput, PeekBookInput, GetCoverInput, PutCoverInput, AddCoversInput, SearchInput, ListLoansInput, LendInput, AuthorsInput, RefreshAuthorsInput, WatchInput, FollowInput, ReadLinesInput } from "./calls.ts";
import type { Library } from "./client.ts";
import { operations } from "./operations.ts";

export type { Key } from "fetch-operations/swr";

/** The arguments of `useSWR`. `mutate` takes the first of them, and `preload` the first two. */
export type Query<Id extends OperationId> = QueryOf<Data<Id>, LibraryError>;

/** The arguments of `useSWRInfinite`. `unstable_serialize` makes a key for `mutate` of the first one. */
export type InfiniteQuery<Id extends OperationId> = InfiniteQueryOf<Data<Id>, LibraryError>;

/** The arguments of `useSWRMutation`. */
export type Mutation<Id extends OperationId, Input> = MutationOf<Data<Id>, LibraryError, Input>;

/** One page of a list. */
export type ListPage<Id extends OperationId> = ListPageOf<Data<Id>>;

/** Returns the arguments of `useSWR` for each operation. */
export interface Queries {
  /**
   * List books
   * by title
   *
   * Returns a page.
   *
   * The header `Link` leads to the next page.
   */
  listBooks: (input?: ListBooksInput | Falsy) => Query<"listBooks">;
  /**
   * @deprecated Will be removed on 2030-12-05. Use `list-books`.
   */
  getBook: (input: GetBookInput | Falsy) => Query<"getBook">;
  getCover: (input: GetCoverInput | Falsy) => Query<"getCover">;
  listLoans: (input?: ListLoansInput | Falsy) => Query<"listLoans">;
  authors: (input?: AuthorsInput | Falsy) => Query<"authors">;
  watch: (input?: WatchInput | Falsy) => Query<"watch">;
  readLines: (input?: ReadLinesInput | Falsy) => Query<"readLines">;
}

/** Returns the arguments of `useSWRInfinite` for each operation. */
export interface InfiniteQueries {
  /**
   * List books
   * by title
   *
   * Returns a page.
   *
   * The header `Link` leads to the next page.
   */
  listBooks: (input?: Omit<ListBooksInput, "cursor"> | Falsy) => InfiniteQuery<"listBooks">;
}

/** Returns the arguments of `useSWRMutation` for each operation. */
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
 * Returns the arguments of `useSWR` for each `GET` operation. A falsy input sends no request. SWR does not retry,
 * because the client does. Keys begin with `name`: two services in one cache need different names.
 */
export function libraryQueries(client: Library, name = "library"): Queries {
  return queriesOf(operations, client, name) as Queries;
}

/** Returns the arguments of `useSWRInfinite` for each operation with pages, with falsy inputs, retries and `name` as in `libraryQueries`. */
export function libraryInfiniteQueries(client: Library, name = "library"): InfiniteQueries {
  return infiniteQueriesOf(operations, client, name) as InfiniteQueries;
}

/** Returns the arguments of `useSWRMutation` for each operation that is not a `GET`. Keys begin with `name`. */
export function libraryMutations(client: Library, name = "library"): Mutations {
  return mutationsOf(operations, client, name) as Mutations;
}
