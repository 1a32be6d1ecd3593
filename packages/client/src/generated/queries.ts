// Generated from the contract by fetch-operations. Do not edit.
import { infiniteQueriesOf, mutationsOf, queriesOf } from "fetch-operations/react-query";
import type { InfiniteQueryOf, ListPageOf, MutationOf, QueryOf } from "fetch-operations/react-query";
import type { PetstoreError } from "./api.ts";
import type { Data, OperationId, ListPetsInput, CreatePetInput, GetPetInput } from "./calls.ts";
import type { Petstore } from "./client.ts";
import { operations } from "./operations.ts";

export type { Key } from "fetch-operations/react-query";

/** Options for `useQuery`, `useSuspenseQuery`, `prefetchQuery` and the like. */
export type Query<Id extends OperationId> = QueryOf<Data<Id>, PetstoreError>;

/** Options for `useInfiniteQuery`, `useSuspenseInfiniteQuery` and the like. */
export type InfiniteQuery<Id extends OperationId> = InfiniteQueryOf<Data<Id>, PetstoreError>;

/** Options for `useMutation`. */
export type Mutation<Id extends OperationId, Input> = MutationOf<Data<Id>, PetstoreError, Input>;

/** One page of a list. */
export type ListPage<Id extends OperationId> = ListPageOf<Data<Id>>;

/** Returns query options for each operation. */
export interface Queries {
  /**
   * List animals
   *
   * Returns a page of animals, ordered by `id`.
   *
   * If more animals follow, the response has `Link: <…>; rel="next"`. Request that URL unchanged. The last page
   * has no such link. Every animal that exists throughout the listing appears exactly once.
   */
  listPets: (input?: ListPetsInput) => Query<"listPets">;
  /**
   * Fetch one animal
   *
   * Returns one animal by its identifier.
   *
   * Deprecated. The operation will be removed on 5 December 2030. Use `GET /pets` with the `status` filter instead.
   * @deprecated Will be removed on 2030-12-05. Use `listPets`.
   */
  getPet: (input: GetPetInput) => Query<"getPet">;
}

/** Returns infinite query options for each operation. */
export interface InfiniteQueries {
  /**
   * List animals
   *
   * Returns a page of animals, ordered by `id`.
   *
   * If more animals follow, the response has `Link: <…>; rel="next"`. Request that URL unchanged. The last page
   * has no such link. Every animal that exists throughout the listing appears exactly once.
   */
  listPets: (input?: Omit<ListPetsInput, "cursor">) => InfiniteQuery<"listPets">;
}

/** Returns mutation options for each operation. */
export interface Mutations {
  /**
   * Add an animal
   *
   * Adds an animal. The service assigns its `id`.
   *
   * Send an `Idempotency-Key` to make the request safe to repeat. A repeat with the same key and the same body gets
   * the first response, marked `Idempotency-Replayed: true`, and adds no second animal. Keys expire after 24 hours.
   */
  createPet: () => Mutation<"createPet", CreatePetInput>;
}

/**
 * Returns query options for each `GET` operation. The query's signal aborts the request. TanStack Query does not retry, because
 * the client does. Keys begin with `name`: two services in one `QueryClient` need different names.
 */
export function petstoreQueries(client: Petstore, name = "petstore"): Queries {
  return queriesOf(operations, client, name) as Queries;
}

/** Returns infinite query options for each operation with pages, with signal, retries and `name` as in `petstoreQueries`. */
export function petstoreInfiniteQueries(client: Petstore, name = "petstore"): InfiniteQueries {
  return infiniteQueriesOf(operations, client, name) as InfiniteQueries;
}

/** Returns mutation options for each operation that is not a `GET`. TanStack Query does not retry. Keys begin with `name`. */
export function petstoreMutations(client: Petstore, name = "petstore"): Mutations {
  return mutationsOf(operations, client, name) as Mutations;
}
