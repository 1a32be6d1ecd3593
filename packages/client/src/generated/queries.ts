// Generated from the contract by `pnpm generate`. Do not edit.
import type { InfiniteQuery, Mutation, Query } from "../react-query/options.ts";
import type { ListPetsInput, CreatePetInput, GetPetInput } from "./calls.ts";

/** The options of a query, by operation. */
export interface Queries {
  /**
   * List animals
   *
   * Returns a paginated list of animals, ordered by `id`.
   */
  listPets: (input?: ListPetsInput) => Query<"listPets">;
  /**
   * Fetch one animal
   *
   * Returns one animal by identifier.
   *
   * Deprecated: removal is announced for 5 December 2030. Use `GET /pets` with the `status` filter.
   * @deprecated Will be removed on 2030-12-05. Use `listPets`.
   */
  getPet: (input: GetPetInput) => Query<"getPet">;
}

/** The options of an infinite query, by operation. */
export interface InfiniteQueries {
  /**
   * List animals
   *
   * Returns a paginated list of animals, ordered by `id`.
   */
  listPets: (input?: Omit<ListPetsInput, "cursor">) => InfiniteQuery<"listPets">;
}

/** The options of a mutation, by operation. */
export interface Mutations {
  /**
   * Add an animal
   *
   * Adds a new animal. The service assigns its `id`.
   */
  createPet: () => Mutation<"createPet", CreatePetInput>;
}
