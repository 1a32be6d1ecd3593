// Generated from the contract by `pnpm generate`. Do not edit.
import type { InfiniteQuery, Mutation, Query } from "../react-query/options.ts";
import type { ListPetsInput, CreatePetInput, GetPetInput } from "./calls.ts";

/** Returns query options for each operation. */
export interface Queries {
  /**
   * List animals
   *
   * Returns a page of animals, ordered by `id`.
   *
   * While more animals follow, the response has `Link: <…>; rel="next"`. Request that URL unchanged. The last page
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
   * While more animals follow, the response has `Link: <…>; rel="next"`. Request that URL unchanged. The last page
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
