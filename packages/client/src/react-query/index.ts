/** The client's operations as options for TanStack Query's hooks, and for its `QueryClient`. */
export type { InfiniteQueries, Mutations, Queries } from "../generated/queries.ts";
export type { InfiniteQuery, Key, ListPage, Mutation, Query } from "./options.ts";
export { petstoreInfiniteQueries, petstoreMutations, petstoreQueries } from "./petstore-queries.ts";
