/** Options of the client's operations for TanStack Query's hooks and `QueryClient`. */
export type { InfiniteQueries, Mutations, Queries } from "../generated/queries.ts";
export type { InfiniteQuery, Key, ListPage, Mutation, Query } from "./options.ts";
export { petstoreInfiniteQueries, petstoreMutations, petstoreQueries } from "./petstore-queries.ts";
